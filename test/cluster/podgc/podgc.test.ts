/**
 * PodGC as the tool foretells it and as a real kube-controller-manager does it: one run, in which every rule has pods
 * to take and pods that only look like them. What was said beforehand is held to what then happens, in a file for each
 * thing that is shown.
 */
import { describe } from 'vitest';
import { candidatesAreNamed } from './candidates.ts';
import { timesAreTold } from './countdown.ts';
import { forecastsComeTrue } from './forecasts.ts';
import { orderIsKept } from './order.ts';
import { screenShows } from './screen.ts';
import { toldPodGc } from './told.ts';

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('PodGC, as foretold', () => {
  const told = toldPodGc();
  candidatesAreNamed(told);
  orderIsKept(told);
  timesAreTold(told);
  screenShows(told);
  forecastsComeTrue(told);
});
