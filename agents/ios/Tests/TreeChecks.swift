// The tree serialiser, the lookup's decisions and the token, on made-up data.

import Foundation

final class MadeUpElement: ElementSource {
    let facts: ElementFacts
    var childSources: [MadeUpElement]

    init(_ facts: ElementFacts, _ children: [MadeUpElement] = []) {
        (self.facts, childSources) = (facts, children)
    }
}

enum TreeChecks {
    private static func named(_ id: String, _ children: [MadeUpElement] = []) -> MadeUpElement {
        MadeUpElement(ElementFacts(identifier: id), children)
    }

    private static func nothing(_ children: [MadeUpElement] = []) -> MadeUpElement {
        MadeUpElement(ElementFacts(type: "Other", frame: ElementFrame(x: 1, y: 1, width: 0, height: 5)), children)
    }

    static func problems() -> [String] {
        var problems: [String] = []
        func expect(_ rule: String, _ holds: Bool) {
            if !holds { problems.append(rule) }
        }
        func json(_ root: MadeUpElement, limit: Int = ElementTree.nodeLimit) -> String {
            ElementTree.json(root: root, limit: limit)
        }
        func count(_ json: String) -> Int { json.components(separatedBy: "AXUniqueId").count - 1 }

        expect("nothing at all is an empty array", json(nothing([nothing(), nothing([nothing()])])) == "[]")
        let kept = json(named("a", [nothing(), nothing([named("b")]), nothing()]))
        let survivor = "{\"type\":\"Other\",\"role\":\"Other\",\"frame\":{\"x\":1.0,\"y\":1.0,\"width\":0.0,\"height\":5.0},"
        expect(
            "only what has nothing to tell and no surviving child goes",
            kept == "[{\"AXUniqueId\":\"a\",\"children\":[\(survivor)\"children\":[{\"AXUniqueId\":\"b\"}]}]}]")
        let area = MadeUpElement(ElementFacts(frame: ElementFrame(x: 0, y: 0, width: 1, height: 1)))
        expect("area alone is enough", json(area).contains("width"))
        let wide = named("root", (0..<5000).map { named("n\($0)") })
        expect("no more nodes than the limit", count(json(wide)) == ElementTree.nodeLimit)
        let deepAndWide = named("root", [named("deep", [named("deeper")]), named("shallow")])
        expect("what is cut off is the deepest", !json(deepAndWide, limit: 3).contains("deeper"))
        expect("and not the shallow", json(deepAndWide, limit: 3).contains("shallow"))
        let chain = (0..<2000).reduce(named("leaf")) { child, _ in named("link", [child]) }
        expect("depth does not matter", count(json(chain)) == 2001)
        let odd = json(named("a\"b\\c\n\u{1}\u{1F44B}"))
        expect("text is escaped", odd == "[{\"AXUniqueId\":\"a\\\"b\\\\c\\n\\u0001\u{1F44B}\"}]")
        var infinite = ElementFacts(identifier: "x")
        infinite.frame = ElementFrame(x: .infinity, y: .nan, width: 1, height: 1)
        infinite.hittable = false
        expect("JSON has no infinity", (try? JSONSerialization.jsonObject(with: Data(ElementTree.json(infinite).utf8))) != nil)

        expect("the same token", tokensMatch("s3cret", "s3cret"))
        expect("another token", !tokensMatch("s3cret", "s3creT") && !tokensMatch("s3cret", "") && !tokensMatch("a", "ab"))
        problems.append(contentsOf: lookupProblems())
        return problems
    }

    private static func lookupProblems() -> [String] {
        var problems: [String] = []
        var once = LookupPoll(selector: "save", timeoutMs: nil)
        if case .failed(let text) = once.saw(Sighting<Int>.notFound, beganMs: 0, nowMs: 0) {
            if !text.hasPrefix("ELEMENT_NOT_FOUND") { problems.append("one look: \(text)") }
        } else {
            problems.append("without a timeout there is one look")
        }
        var poll = LookupPoll(selector: "save", timeoutMs: 120)
        var schedule: [UInt64] = []
        var last = ""
        for (began, now) in [(0, 3), (50, 55), (100, 101), (120, 121)] as [(UInt64, UInt64)] {
            let sighting: Sighting<Int> = began == 120 ? .notHittable : .notFound
            switch poll.saw(sighting, beganMs: began, nowMs: now) {
            case .lookAgain(let atMs): schedule.append(atMs)
            case .failed(let text): last = text
            case .done: problems.append("found what was not there")
            }
        }
        if schedule != [50, 100, 120] { problems.append("looks at \(schedule)") }
        if !last.hasPrefix("NOT_ACTIONABLE") { problems.append("the last sighting names the error: \(last)") }
        return problems
    }
}
