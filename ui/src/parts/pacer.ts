// The first call at once, later ones no more often than every so many milliseconds; the last always runs.

export function pacer(ms: number): (work: () => void) => void {
  let last = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (work) => {
    clearTimeout(timer);
    const wait = last + ms - performance.now();
    const run = (): void => {
      last = performance.now();
      work();
    };
    if (wait <= 0) run();
    else timer = setTimeout(run, wait);
  };
}
