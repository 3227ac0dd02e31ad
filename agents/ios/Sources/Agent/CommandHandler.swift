// Commands to XCTest. Everything here runs on the main thread.

import Foundation
import XCTest

final class CommandHandler {
    private var app = XCUIApplication(bundleIdentifier: "com.apple.springboard")
    private var bundleId = "com.apple.springboard"
    private let udid: String?
    private let takeComplaints: () -> [String]

    init(udid: String?, takeComplaints: @escaping () -> [String]) {
        (self.udid, self.takeComplaints) = (udid, takeComplaints)
    }

    func handle(_ frame: ClientFrame) -> ServerFrame {
        switch frame {
        case .heartbeat:
            return .ok
        case .tapCoord(let x, let y):
            return acting { self.point(x, y).tap() }
        case .tapElement(let id, let timeoutMs):
            return tap(ElementQuery(selector: id, byLabel: false, type: nil), timeoutMs)
        case .tapByLabel(let label, let timeoutMs):
            return tap(ElementQuery(selector: label, byLabel: true, type: nil), timeoutMs)
        case .tapWithType(let selector, let byLabel, let type, let timeoutMs):
            return tap(ElementQuery(selector: selector, byLabel: byLabel, type: type), timeoutMs)
        case .typeText(let text):
            return type(text)
        case .swipe(let startX, let startY, let endX, let endY, let seconds):
            return swipe(from: (startX, startY), to: (endX, endY), seconds)
        case .getValue(let query, let timeoutMs):
            return value(of: query, timeoutMs)
        case .longPress(let x, let y, let seconds):
            guard isDuration(seconds) else { return notADuration(seconds) }
            return acting { self.point(x, y).press(forDuration: seconds) }
        case .dumpTree:
            return tree()
        case .screenshot:
            return reading { .screenshot([UInt8](XCUIScreen.main.screenshot().pngRepresentation)) }
        case .setTarget(let target):
            (bundleId, app) = (target, XCUIApplication(bundleIdentifier: target))
            return .ok
        case .findElement(let query):
            return find(query)
        case .getTargetInfo:
            return reading { .targetInfo(self.targetInfo()) }
        case .bridgeHealth:
            return reading { self.app.state == .unknown ? .error("TARGET_LOST: the app's state is unknown") : .ok }
        case .deviceUdid:
            return .value(udid)
        case .hello, .call, .cancel:
            return .error("PROTOCOL: not a request")
        }
    }

    // MARK: What can fail

    /// Runs an action; an exception or a complaint of XCTest is the answer.
    private func acting(_ work: @escaping () -> Void) -> ServerFrame {
        _ = takeComplaints()
        if let exception = ExceptionShield.run(work) {
            return .error("ACTION_REJECTED: \(exception)")
        }
        if let complaint = takeComplaints().first {
            return .error("ACTION_REJECTED: \(complaint)")
        }
        return .ok
    }

    private func reading(_ work: @escaping () -> ServerFrame) -> ServerFrame {
        _ = takeComplaints()
        var answer = ServerFrame.error("INTERNAL: nothing was read")
        if let exception = ExceptionShield.run({ answer = work() }) {
            return .error("TARGET_LOST: \(exception)")
        }
        return answer
    }

    // MARK: Elements

    private func element(_ query: ElementQuery) -> XCUIElement {
        let types = app.descendants(matching: query.type.flatMap(ElementTypes.named) ?? .any)
        let predicate = NSPredicate(format: query.byLabel ? "label == %@" : "identifier == %@", query.selector)
        return types.matching(predicate).firstMatch
    }

    /// Looks for an element as often as the timeout allows, turning the run loop in between.
    private func lookUp(_ query: ElementQuery, _ timeoutMs: UInt64?, hittable: Bool) -> Result<XCUIElement, AgentProblem> {
        if let type = query.type, ElementTypes.named(type) == nil {
            return .failure(AgentProblem("INVALID_ARGUMENT: there is no element type `\(type)`"))
        }
        var poll = LookupPoll(selector: query.selector, timeoutMs: timeoutMs)
        let start = ProcessInfo.processInfo.systemUptime
        func elapsedMs() -> UInt64 { UInt64((ProcessInfo.processInfo.systemUptime - start) * 1000) }
        while true {
            let began = elapsedMs()
            let sighting = look(query, hittable: hittable)
            switch poll.saw(sighting, beganMs: began, nowMs: elapsedMs()) {
            case .done(let element): return .success(element)
            case .failed(let reason): return .failure(AgentProblem(reason))
            case .lookAgain(let atMs):
                let pause = Double(atMs) / 1000 - (ProcessInfo.processInfo.systemUptime - start)
                if pause > 0 { RunLoop.current.run(until: Date(timeIntervalSinceNow: pause)) }
            }
        }
    }

    private func look(_ query: ElementQuery, hittable: Bool) -> Sighting<XCUIElement> {
        var sighting = Sighting<XCUIElement>.notFound
        let exception = ExceptionShield.run {
            let element = self.element(query)
            guard element.exists else { return }
            sighting = !hittable || element.isHittable ? .found(element) : .notHittable
        }
        if let exception { return .failed("TARGET_LOST: \(exception)") }
        return sighting
    }

    private func tap(_ query: ElementQuery, _ timeoutMs: UInt64?) -> ServerFrame {
        switch lookUp(query, timeoutMs, hittable: true) {
        case .success(let element): return acting { element.tap() }
        case .failure(let problem): return .error(problem.description)
        }
    }

    private func value(of query: ElementQuery, _ timeoutMs: UInt64?) -> ServerFrame {
        switch lookUp(query, timeoutMs, hittable: false) {
        case .success(let element):
            return reading { .value(element.value as? String ?? (element.label.isEmpty ? nil : element.label)) }
        case .failure(let problem):
            return .error(problem.description)
        }
    }

    private func find(_ query: ElementQuery) -> ServerFrame {
        if let type = query.type, ElementTypes.named(type) == nil {
            return .error("INVALID_ARGUMENT: there is no element type `\(type)`")
        }
        return reading {
            let element = self.element(query)
            guard element.exists else { return .element("null") }
            var facts = ElementFacts(
                identifier: element.identifier, label: element.label, value: element.value as? String ?? "",
                type: ElementTypes.name(of: element.elementType), frame: ElementFrame(element.frame))
            facts.hittable = element.isHittable
            return .element(ElementTree.json(facts))
        }
    }

    private func tree() -> ServerFrame {
        reading {
            do {
                return .tree(ElementTree.json(root: SnapshotSource(snapshot: try self.app.snapshot())))
            } catch {
                return .error("HIERARCHY_EMPTY: \(error.localizedDescription)")
            }
        }
    }

    // MARK: Gestures and text

    private func point(_ x: Int32, _ y: Int32) -> XCUICoordinate {
        app.coordinate(withNormalizedOffset: .zero).withOffset(CGVector(dx: Double(x), dy: Double(y)))
    }

    private func swipe(from start: (Int32, Int32), to end: (Int32, Int32), _ seconds: Double?) -> ServerFrame {
        if let seconds, !isDuration(seconds) { return notADuration(seconds) }
        return acting {
            let (from, to) = (self.point(start.0, start.1), self.point(end.0, end.1))
            var velocity = XCUIGestureVelocity.default
            if let seconds, seconds > 0 {
                let (dx, dy) = (Double(end.0) - Double(start.0), Double(end.1) - Double(start.1))
                velocity = XCUIGestureVelocity(CGFloat((dx * dx + dy * dy).squareRoot() / seconds))
            }
            from.press(forDuration: 0, thenDragTo: to, withVelocity: velocity, thenHoldForDuration: 0)
        }
    }

    private func type(_ text: String) -> ServerFrame {
        var focused: XCUIElement?
        let exception = ExceptionShield.run {
            let predicate = NSPredicate(format: "hasKeyboardFocus == true")
            let candidate = self.app.descendants(matching: .any).matching(predicate).firstMatch
            if candidate.exists { focused = candidate }
        }
        if let exception { return .error("TARGET_LOST: \(exception)") }
        guard let focused else {
            return .error("NOT_ACTIONABLE: no field has the keyboard focus (tap a field first)")
        }
        return acting { focused.typeText(text) }
    }

    private func isDuration(_ seconds: Double) -> Bool {
        seconds.isFinite && seconds >= 0
    }

    private func notADuration(_ seconds: Double) -> ServerFrame {
        .error("INVALID_ARGUMENT: \(seconds) is no duration in seconds")
    }

    private func targetInfo() -> String {
        let state: String
        switch app.state {
        case .notRunning: state = "not_running"
        case .runningBackgroundSuspended: state = "suspended"
        case .runningBackground: state = "background"
        case .runningForeground: state = "foreground"
        default: state = "unknown"
        }
        return "{\"bundle_id\":\(ElementTree.quoted(bundleId)),\"state\":\"\(state)\",\"platform\":\"ios\"}"
    }
}
