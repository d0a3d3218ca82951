import {h} from './dom';
import {Live} from './live';
import {Page} from './page';
import {readReport} from './report';
import {startTheme} from './theme';
import {startTips} from './tip';

const root = document.getElementById('page')!;
startTheme();
startTips();
try {
  const {report, live} = readReport();
  const page = new Page(report, root);
  if (live !== null) new Live(live, report, page.status, (next) => page.update(next));
  // When the browser looked for the anchor in the address, its element did not exist yet.
  if (location.hash !== '') location.replace(location.hash);
  document.documentElement.dataset.ready = 'true';
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  root.replaceChildren(h('main', {class: 'broken'}, h('h1', {}, 'Nothing to show'),
                         h('p', {role: 'alert'}, reason)));
  console.error(error);
}
