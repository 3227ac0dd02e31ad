// Work that is done elsewhere: it answers after so many milliseconds.
onmessage = ({ data: { id, ms } }) => setTimeout(() => postMessage(id), ms);
