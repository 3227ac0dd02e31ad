//! Bytes that pretend to be a stream of reply frames. The first byte chooses how the stream is cut into chunks.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stillpoint_wire::codec::{ServerFrame, Decoder, Frame};

fuzz_target!(|data: &[u8]| {
    let Some((&chunk, stream)) = data.split_first() else { return };
    let mut decoder = Decoder::<ServerFrame>::new();
    let mut fed = 0;
    for piece in stream.chunks(usize::from(chunk) + 1) {
        decoder.feed(piece);
        fed += piece.len();
        loop {
            match decoder.next_frame() {
                Ok(Some(frame)) => {
                    let again = frame.encode().expect("a frame that fitted still fits");
                    let mut second = Decoder::<ServerFrame>::new();
                    second.feed(&again);
                    let twice = second.next_frame().expect("own bytes decode").expect("and are whole");
                    assert_eq!(twice.encode().expect("fits"), again, "encoding is stable");
                }
                Ok(None) => break,
                Err(error) if error.is_fatal() => return,
                Err(_) => {}
            }
        }
        assert!(decoder.buffered() <= fed, "nothing is held that was not received");
    }
});
