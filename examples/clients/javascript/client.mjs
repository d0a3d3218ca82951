// A client of `sau serve` for Node.js 18 and newer, without packages: asks what to show and sends
// the reward.
//     node client.mjs http://127.0.0.1:8080 [VISITS]    SAU_KEY is the key, if the service needs one
const [endpoint, visits = '100'] = process.argv.slice(2);
if (endpoint === undefined) {
  console.error('usage: node client.mjs http://127.0.0.1:8080 [VISITS]');
  process.exit(2);
}
const headers = {'Content-Type': 'application/json'};
if (process.env.SAU_KEY) headers['Ocp-Apim-Subscription-Key'] = process.env.SAU_KEY;

// A request that was not acknowledged may be sent again. With the same event id a decision counts
// once, and so does a reward, unless the service is configured to add rewards up. 503 means that the
// service is too busy, or its disk is full, at the moment.
async function post(path, body) {
  for (let attempt = 1; ; ++attempt) {
    const reply = await fetch(`${endpoint}/personalizer/v1.0${path}`,
                              {method: 'POST', headers, body: JSON.stringify(body)});
    if (reply.ok) return reply.status === 204 ? null : reply.json();
    if (reply.status !== 503 || attempt === 5) {
      throw new Error(`${path}: status ${reply.status} ${await reply.text()}`);
    }
    const seconds = Number(reply.headers.get('Retry-After') ?? 1);
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  }
}

const run = Date.now().toString(36);
let clicks = 0;
for (let visit = 0; visit < Number(visits); ++visit) {
  const device = visit % 2 === 0 ? 'phone' : 'desk';
  const {eventId, rewardActionId, ranking} = await post('/rank', {
    eventId: `js-${run}-${visit}`,  // with our own ids a request is safe to repeat
    contextFeatures: [{device}],
    actions: [{id: 'sport', features: [{topic: 'football'}]},
              {id: 'news', features: [{topic: 'world', words: 900}]}],
  });
  // A stand-in for your users: on phones they like sport, elsewhere news.
  const value = rewardActionId === (device === 'phone' ? 'sport' : 'news') ? 1 : 0;
  await post(`/events/${encodeURIComponent(eventId)}/reward`, {value});
  clicks += value;
  if (visit === Number(visits) - 1) {
    const {probability} = ranking.find(({id}) => id === rewardActionId);
    console.log(`last: ${rewardActionId} on ${device}, with probability ${probability.toFixed(3)}`);
  }
}
console.log(`${clicks} of ${visits} clicked`);
