//! Properties of the codec: what is encoded is decoded, chunks do not matter, and no bytes make it panic.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use stillpoint_wire::codec::{
    ClientFrame, ClientHello, DecodeError, Decoder, Frame, MAX_FRAME, Reply, Request, ServerFrame,
    ServerHello, Token,
};

/// NaN is not equal to itself; the vectors pin the bits of numbers, so it is left out here.
fn seconds() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("NaN has no equal", |number| !number.is_nan())
}

fn request() -> impl Strategy<Value = Request> {
    let text = any::<String>;
    let timeout = || option::of(any::<u64>());
    prop_oneof![
        Just(Request::Heartbeat),
        Just(Request::DumpTree),
        Just(Request::Screenshot),
        Just(Request::GetTargetInfo),
        Just(Request::BridgeHealth),
        Just(Request::DeviceUdid),
        any::<(i32, i32)>().prop_map(|(x, y)| Request::TapCoord { x, y }),
        (text(), timeout()).prop_map(|(id, timeout_ms)| Request::TapElement { id, timeout_ms }),
        (text(), timeout()).prop_map(|(label, timeout_ms)| Request::TapByLabel { label, timeout_ms }),
        (text(), any::<bool>(), text(), timeout()).prop_map(
            |(selector, by_label, element_type, timeout_ms)| {
                Request::TapWithType { selector, by_label, element_type, timeout_ms }
            }
        ),
        text().prop_map(|text| Request::TypeText { text }),
        (any::<[i32; 4]>(), option::of(seconds())).prop_map(
            |([start_x, start_y, end_x, end_y], duration_s)| {
                Request::Swipe { start_x, start_y, end_x, end_y, duration_s }
            }
        ),
        (text(), any::<bool>(), option::of(text()), timeout()).prop_map(
            |(selector, by_label, element_type, timeout_ms)| Request::GetValue {
                selector,
                by_label,
                element_type,
                timeout_ms
            }
        ),
        (any::<(i32, i32)>(), seconds()).prop_map(|((x, y), duration_s)| Request::LongPress {
            x,
            y,
            duration_s
        }),
        text().prop_map(|target| Request::SetTarget { target }),
        (text(), any::<bool>(), option::of(text())).prop_map(|(selector, by_label, element_type)| {
            Request::FindElement { selector, by_label, element_type }
        }),
    ]
}

fn client_frame() -> impl Strategy<Value = ClientFrame> {
    let text = any::<String>;
    prop_oneof![
        8 => request().prop_map(ClientFrame::Request),
        1 => (any::<u32>(), option::of(text()), vec(text(), 0..4)).prop_map(|(version, token, wants)| {
            ClientFrame::Hello(ClientHello { version, token: token.map(Token::new), wants })
        }),
        2 => (any::<u64>(), text(), text()).prop_map(|(id, method, json)| ClientFrame::Call { id, method, json }),
        1 => any::<u64>().prop_map(|id| ClientFrame::Cancel { id }),
    ]
}

fn server_frame() -> impl Strategy<Value = ServerFrame> {
    let text = any::<String>;
    let reply = prop_oneof![
        Just(Reply::Ok),
        text().prop_map(Reply::Error),
        text().prop_map(Reply::Tree),
        vec(any::<u8>(), 0..200).prop_map(Reply::Screenshot),
        option::of(text()).prop_map(Reply::Value),
        text().prop_map(Reply::Element),
        text().prop_map(Reply::TargetInfo),
    ];
    prop_oneof![
        6 => reply.prop_map(ServerFrame::Reply),
        1 => (any::<u32>(), vec(text(), 0..4), any::<u32>())
            .prop_map(|(version, grants, max_calls)| ServerFrame::Hello(ServerHello { version, grants, max_calls })),
        2 => (any::<u64>(), any::<bool>(), text()).prop_map(|(id, ok, json)| ServerFrame::Answer { id, ok, json }),
        1 => (any::<u64>(), text()).prop_map(|(seq, json)| ServerFrame::Event { seq, json }),
    ]
}

/// Everything that comes out of a stream that is fed in pieces cut at `cuts`.
fn decode_in_chunks<F: Frame>(stream: &[u8], cuts: &[usize]) -> Vec<Result<F, DecodeError>> {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (stream.len() + 1)).collect();
    cuts.push(stream.len());
    cuts.sort_unstable();
    let mut decoder = Decoder::<F>::new();
    let mut out = Vec::new();
    let mut from = 0;
    for to in cuts {
        decoder.feed(&stream[from..to]);
        from = to;
        loop {
            match decoder.next_frame() {
                Ok(Some(frame)) => out.push(Ok(frame)),
                Ok(None) => break,
                Err(error) => {
                    let fatal = error.is_fatal();
                    out.push(Err(error));
                    if fatal {
                        return out;
                    }
                }
            }
        }
        assert!(decoder.buffered() <= stream.len());
    }
    out
}

fn stream_of<F: Frame>(frames: &[F]) -> Vec<u8> {
    frames.iter().flat_map(|frame| frame.encode().unwrap()).collect()
}

/// Frames whose every byte may be something else: closer to the edges of the grammar than noise is.
fn mutated(stream: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    let length = stream.len();
    (Just(stream), vec((0..length.max(1), any::<u8>()), 1..6)).prop_map(|(mut stream, changes)| {
        for (at, byte) in changes {
            if let Some(slot) = stream.get_mut(at) {
                *slot = byte;
            }
        }
        stream
    })
}

/// What was decoded, as bytes again: a mutated number may be NaN, which is equal to itself only bit by bit.
fn in_bytes<F: Frame>(decoded: Vec<Result<F, DecodeError>>) -> Vec<Result<Vec<u8>, DecodeError>> {
    decoded.into_iter().map(|frame| frame.map(|frame| frame.encode().unwrap())).collect()
}

/// A mutated length field may name up to 4 GiB; the decoder must hold no more than it was fed.
fn survives<F: Frame>(stream: &[u8], cuts: &[usize]) {
    let whole = in_bytes(decode_in_chunks::<F>(stream, &[]));
    assert_eq!(in_bytes(decode_in_chunks::<F>(stream, cuts)), whole);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn decoding_undoes_encoding_of_client_frames(frame in client_frame()) {
        let raw = frame.encode().unwrap();
        prop_assert_eq!(decode_in_chunks(&raw, &[]), vec![Ok(frame)]);
    }

    #[test]
    fn decoding_undoes_encoding_of_server_frames(frame in server_frame()) {
        let raw = frame.encode().unwrap();
        prop_assert_eq!(decode_in_chunks(&raw, &[]), vec![Ok(frame)]);
    }

    #[test]
    fn chunks_do_not_matter(frames in vec(client_frame(), 1..6), cuts in vec(any::<usize>(), 0..12)) {
        let raw = stream_of(&frames);
        let expected: Vec<_> = frames.into_iter().map(Ok).collect();
        prop_assert_eq!(decode_in_chunks(&raw, &cuts), expected);
    }

    #[test]
    fn a_truncated_frame_is_only_waited_for(frame in server_frame(), keep in any::<prop::sample::Index>()) {
        let raw = frame.encode().unwrap();
        let kept = &raw[..keep.index(raw.len())];
        prop_assert_eq!(decode_in_chunks::<ServerFrame>(kept, &[]), vec![]);
    }

    #[test]
    fn no_bytes_make_either_decoder_panic(stream in vec(any::<u8>(), 0..600), cuts in vec(any::<usize>(), 0..6)) {
        survives::<ClientFrame>(&stream, &cuts);
        survives::<ServerFrame>(&stream, &cuts);
    }

    #[test]
    fn mutated_requests_make_no_panic(
        stream in vec(client_frame(), 1..4).prop_flat_map(|frames| mutated(stream_of(&frames))),
        cuts in vec(any::<usize>(), 0..6),
    ) {
        survives::<ClientFrame>(&stream, &cuts);
    }

    #[test]
    fn mutated_replies_make_no_panic(
        stream in vec(server_frame(), 1..4).prop_flat_map(|frames| mutated(stream_of(&frames))),
        cuts in vec(any::<usize>(), 0..6),
    ) {
        survives::<ServerFrame>(&stream, &cuts);
    }
}

#[test]
fn a_duration_that_is_no_number_is_decoded_whole_and_in_pieces() {
    let frame = ClientFrame::Request(Request::LongPress { x: 1, y: 2, duration_s: f64::NAN });
    let raw = frame.encode().unwrap();
    assert_eq!(in_bytes(decode_in_chunks::<ClientFrame>(&raw, &[3, 9])), vec![Ok(raw.clone())]);
    survives::<ClientFrame>(&raw, &[3, 9]);
}

#[test]
fn a_frame_at_the_limit_passes_and_one_byte_more_is_refused() {
    // opcode, reply type and byte count take six bytes of the limit.
    let fits = ServerFrame::Reply(Reply::Screenshot(vec![7; MAX_FRAME - 6]));
    let raw = fits.encode().unwrap();
    assert_eq!(raw.len(), 4 + MAX_FRAME);
    let mut decoder = Decoder::<ServerFrame>::new();
    raw.chunks(1 << 20).for_each(|chunk| decoder.feed(chunk));
    assert_eq!(decoder.next_frame().unwrap(), Some(fits));

    let over = ServerFrame::Reply(Reply::Screenshot(vec![7; MAX_FRAME - 5]));
    assert_eq!(over.encode().unwrap_err().length, MAX_FRAME + 1);
}
