// The report as the program writes it (docs/formats/report.md). Unknown numbers are null.
export type Maybe = number | null;

export interface Estimate {
  value: Maybe;
  low: Maybe;
  high: Maybe;
}

export interface AlgorithmStyle {
  name: string;
  colour: string;
  dark_colour: string;
  dash: number[];
  shape: string;
}

export interface Series {
  algorithm: string;
  agent_spec: string;
  trials: number;
  asked: number;
  failed: number;
  mean: Maybe[];
  low: Maybe[] | null;  // null: a single trial has no interval
  high: Maybe[] | null;
  median: Maybe[];
  sample_trials: number[];
  sample: Maybe[][];
  final_mean: Estimate;
  minimum: Maybe;
  whisker_low: Maybe;
  q25: Maybe;
  final_median: Maybe;
  q75: Maybe;
  whisker_high: Maybe;
  maximum: Maybe;
  points: number[];
  all_points: boolean;
  stuck: Maybe;
  seconds: Maybe;
  groups: TwoGroups | null;
}

// Trials of two kinds: the means of both, and the share of the upper one.
export interface TwoGroups {
  low: Maybe;
  high: Maybe;
  share: Maybe;
}

// The number of trials that did not fail: only these count.
export const counted = (series: Series): number => series.trials - series.failed;

export interface PairComparison {
  a: number;
  b: number;
  trials: number;
  wins: number;
  ties: number;
  losses: number;
  mean: Estimate;
  median: Estimate;
  p: Maybe;
  exact: boolean;
  p_holm: Maybe;
}

export interface ProblemComparison {
  problem: string;
  algorithms: string[];
  heavy_tails: boolean;
  heavy: string[];
  resamples: number;
  pairs: PairComparison[];
}

export interface ProblemFigure {
  id: string;
  problem: string;
  title: string;
  problem_spec: string;
  note: string;
  steps: number;
  points: number[];
  series: Series[];
  comparison: ProblemComparison;
  costs: string;
}

export interface PaperValue {
  mean: number;
  sem: Maybe;  // null if the paper prints none
}

export interface ParameterFigure {
  id: string;
  title: string;
  parameter: string;
  axis: string;
  values: number[];
  lines: {algorithm: string; regret: Estimate[]; paper: (PaperValue | null)[]}[];
}

export interface TimeFigure {
  id: string;
  title: string;
  axis: string;
  points: {algorithm: string; problem: string; seconds: Maybe; regret: Maybe}[];
}

export interface RankFigure {
  id: string;
  title: string;
  ranks: {
    problems: string[];
    algorithms: {algorithm: string; rank: Estimate; ranks: number[]}[];
  };
}

export interface TableCell {
  trials: number;
  failed: number;
  mean: Maybe;
  sem: Maybe;
  paper: PaperValue | null;
  z: Maybe;
  standing: 'other' | 'near' | 'best';
  agent_spec: string;
  low: Maybe;
  high: Maybe;
  median: Maybe;
  stuck: Maybe;
  groups: TwoGroups | null;
  differs: string[];
}

export type TableKind = 'regret' | 'normalised' | 'time';

export interface Table {
  kind: TableKind;
  title: string;
  problems: string[];
  algorithms: string[];
  problem_specs: string[];
  steps: number[];
  cells: TableCell[];
  notes: string[];
}

export interface ReportSection {
  id: string;
  title: string;
  text: string;
  problems: ProblemFigure[];
  parameters: ParameterFigure[];
  ranks: RankFigure[];
  times: TimeFigure[];
  tables: Table[];
}

export interface TheoryCheck {
  id: string;
  where: string;
  statement: string;
  statistic: string;
  value: Maybe;
  relation: string;
  expected: Maybe;
  tolerance: Maybe;
  reason: string;
  verdict: string;
  note: string;
}

export interface ReportRun {
  folder: string;
  version: string;
  machine: string;
  finished: string;
  seed: number;
  trials: number;
  asked: number;
}

export interface Difference {
  id: string;
  title: string;
  text: string;
}

export interface Report {
  title: string;
  version: string;
  paper: boolean;
  runs: ReportRun[];
  notes: string[];
  algorithms: AlgorithmStyle[];
  sections: ReportSection[];
  theory: TheoryCheck[];
  differences: Difference[];
}

export interface Loaded {
  report: Report;
  live: string | null;  // the address to ask for updates, if `sau watch` serves the page
}

// Throws an Error in plain words if the page has no report.
export function readReport(): Loaded {
  const element = document.getElementById('report-data');
  const text = element?.textContent?.trim() ?? '';
  if (element === null || text === '') {
    throw new Error('This page has no report: it is the empty template that sau report fills in.');
  }
  return {report: JSON.parse(text) as Report, live: element.getAttribute('data-live')};
}
