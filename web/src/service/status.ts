// The answers of GET /v1/status, GET /v1/history/{span} and GET /v1/decisions/{eventId}.
import type {Maybe} from '../report';

export interface Period {
  time: string;
  ranks: number;
  rewards: number;
  learned: number;
  meanReward: Maybe;
}

export interface History {
  span: string;
  stepSeconds: number;
  baselineReward: Maybe;
  history: Period[];  // newest last
}

export interface ActionRow {
  id: string;
  share: number;
  count: number;
  mean: Maybe;
  spread: Maybe;
  variance: Maybe;
  ranked: number;
}

export type State = 'waiting' | 'learned' | 'late' | 'missing' | 'inactive' | 'logged';

export interface RecentDecision {
  eventId: string;
  time: string;
  rewardActionId: string;
  probability: number;
  actions: number;
  reward: Maybe;
  state: State;
}

// A member of a committee.
export interface Member {
  spec: string;
  weight: number;
  fault: string | null;
}

// A candidate that is watched, or the latest one that was.
export interface Gate {
  name: string;
  arguments: string;
  decisions: number;
  gain: Maybe;      // over the policy that decides, per decision
  gainLow: Maybe;   // its interval, which holds whenever one looks
  gainHigh: Maybe;
  outcome: 'promoted' | 'worse' | 'stopped' | 'replaced' | null;
}

// The machines of an application: shown by its trainers.
export interface Cluster {
  fault: string | null;
  nodes: {
    id: string; host: string; ready: boolean; ranks: number; rewards: number; modelVersion: number;
    lag: number; heardSeconds: number;
  }[];
  trainers: {id: string; leads: boolean; this: boolean; messages: number; heardSeconds: number}[];
}

export interface Status {
  version: string;
  agent: string;
  members: Member[];
  learningMode: string;
  ready: boolean;
  uptimeSeconds: number;
  model: {version: number; eventsLearned: number; ageSeconds: number};
  totals: {
    ranks: number; rewards: number; lateRewards: number; missingRewards: number;
    refusedRewards: number; clippedRewards: number; learned: number;
    waiting: number; refused: number; logBytes: number; learnerLag: number;
  };
  now: {
    ranksPerSecond: number; rewardsPerSecond: number; meanReward: Maybe; baselineReward: Maybe;
    // Over the baseline, per decision, with an interval of 95 %; null if events are too few.
    gain: {mean: number; low: number; high: number; events: number} | null;
    explorationRate: Maybe; apprenticeAgreement: Maybe;
  };
  gate: Gate | null;
  cluster: Cluster | null;
  history: Period[];  // newest last
  actions: ActionRow[];
  actionCount: number;
  recent: RecentDecision[];  // newest first
}

export interface DecisionAction {
  id: string;
  value: Maybe;
  spread: Maybe;
  count: number;
  variance: Maybe;
  pooledVariance?: number;  // if residuals are pooled
  disagreement?: number;    // of a committee
  bonus?: number;           // of a committee
  probability: number;
  excluded: boolean;
}

export interface Decision {
  eventId: string;
  time: string;
  rewardActionId: string;
  learningMode: string;
  modelVersion: number;
  state: State;
  reward: Maybe;
  rewards: {value: number; time: string; late: boolean}[];
  active: boolean;
  members?: {spec: string; weight: number}[];  // of a committee, when it decided
  actions: DecisionAction[];
}
