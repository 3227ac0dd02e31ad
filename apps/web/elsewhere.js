// A worker that has nothing to do.
onmessage = () => postMessage('heard');
