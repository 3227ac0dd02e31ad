// When to look again for an element. It decides; the clock and the looking are elsewhere.

enum Sighting<Found> {
    case found(Found)
    case notFound
    case notHittable
    case failed(String)
}

enum LookupStep<Found> {
    case done(Found)
    case failed(String)
    case lookAgain(atMs: UInt64)
}

struct LookupPoll {
    static let intervalMs: UInt64 = 50

    private let selector: String
    private let timeoutMs: UInt64
    private var looks = 0
    private var isLastLook: Bool

    init(selector: String, timeoutMs: UInt64?) {
        self.selector = selector
        self.timeoutMs = timeoutMs ?? 0
        isLastLook = self.timeoutMs == 0
    }

    /// Takes what a look found. Times are milliseconds since the start.
    mutating func saw<Found>(_ sighting: Sighting<Found>, beganMs: UInt64, nowMs: UInt64) -> LookupStep<Found> {
        looks += 1
        let problem: String
        switch sighting {
        case .found(let element): return .done(element)
        case .failed(let reason): return .failed(reason)
        case .notFound: problem = "ELEMENT_NOT_FOUND: `\(selector)` was not found"
        case .notHittable: problem = "NOT_ACTIONABLE: `\(selector)` is there but cannot be hit"
        }
        if isLastLook || nowMs >= timeoutMs {
            return .failed(timeoutMs == 0 ? problem : "\(problem) within \(timeoutMs) ms (\(looks) looks)")
        }
        let next = max(beganMs + Self.intervalMs, nowMs)
        isLastLook = next >= timeoutMs
        return .lookAgain(atMs: min(next, timeoutMs))
    }
}
