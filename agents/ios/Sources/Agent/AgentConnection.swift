// One client. It reads a chunk, answers every frame in it in order, and only then reads on: a client that does not take
// its replies is not read from either.

import Foundation
import Network

final class AgentConnection {
    /// What a client that has not shown its token yet may make the agent hold.
    private static let strangersLimit = 64 * 1024

    private let connection: NWConnection
    private let queue: DispatchQueue
    private let token: String?
    private let handler: CommandHandler
    private var decoder = FrameDecoder<ClientFrame>()
    private var isTrusted: Bool

    init(_ connection: NWConnection, queue: DispatchQueue, token: String?, handler: CommandHandler) {
        (self.connection, self.queue, self.token, self.handler) = (connection, queue, token, handler)
        isTrusted = token == nil
    }

    func start() {
        connection.start(queue: queue)
        receive()
    }

    // The closures hold the connection for as long as something is to come; cancelling lets go of it.
    private func receive() {
        connection.receive(minimumIncompleteLength: 1, maximumLength: 64 * 1024) { [self] data, _, isComplete, error in
            if let data { decoder.feed(data) }
            answerNext { [self] in
                if isComplete || error != nil {
                    close()
                } else if !isTrusted && decoder.buffered > Self.strangersLimit {
                    connection.cancel()
                } else {
                    receive()
                }
            }
        }
    }

    /// Answers the frames that are there, one after the other, then calls `drained`.
    private func answerNext(_ drained: @escaping () -> Void) {
        switch decoder.next() {
        case .needsMore:
            drained()
        case .malformed(let problem):
            guard isTrusted else { return connection.cancel() }
            send(.error(problem.message)) { [self] in
                if problem.isFatal { close() } else { answerNext(drained) }
            }
        case .frame(.hello(let hello)):
            greet(hello, drained)
        case .frame(let frame):
            guard isTrusted else { return connection.cancel() }
            answer(frame, drained)
        }
    }

    private func greet(_ hello: ClientHello, _ drained: @escaping () -> Void) {
        if let token, !tokensMatch(token, hello.token ?? "") {
            return connection.cancel()
        }
        isTrusted = true
        // This agent has no calls and no events: the connection is trusted, and stays v1.
        send(.hello(ServerHello(version: 1, grants: [], maxCalls: 0))) { [self] in answerNext(drained) }
    }

    private func answer(_ frame: ClientFrame, _ drained: @escaping () -> Void) {
        switch frame {
        case .call(let id, let method, _):
            let fault = "{\"code\":\"UNSUPPORTED\",\"message\":\(ElementTree.quoted("there is no method `\(method)`"))}"
            send(.answer(id: id, ok: false, json: fault)) { [self] in answerNext(drained) }
        case .cancel:
            answerNext(drained)
        default:
            // XCTest belongs to the main thread.
            DispatchQueue.main.async { [self] in
                let reply = handler.handle(frame)
                queue.async { [self] in
                    send(reply) { [self] in answerNext(drained) }
                }
            }
        }
    }

    private func send(_ frame: ServerFrame, then next: @escaping () -> Void) {
        let tooLarge = ServerFrame.error("PROTOCOL: the answer is over the frame limit")
        guard let bytes = frame.encoded() ?? tooLarge.encoded() else { return connection.cancel() }
        connection.send(content: Data(bytes), completion: .contentProcessed { [self] error in
            if error == nil { next() } else { connection.cancel() }
        })
    }

    /// Tells the client that nothing more comes, and lets go once that is sent.
    private func close() {
        connection.send(
            content: nil, contentContext: .finalMessage, isComplete: true,
            completion: .contentProcessed { [connection] _ in connection.cancel() })
    }
}
