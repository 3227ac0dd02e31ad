// A tree of elements as JSON: capped, pruned, and without recursion, so that no depth is too much.

struct ElementFrame: Equatable {
    var x, y, width, height: Double

    var hasArea: Bool { width > 0 && height > 0 }
}

/// What is told of one element.
struct ElementFacts: Equatable {
    var identifier = ""
    var label = ""
    var value = ""
    var type = ""
    var frame: ElementFrame?
    var hittable: Bool?

    var hasIdentity: Bool { !(identifier.isEmpty && label.isEmpty && value.isEmpty) }
}

/// Whatever can be walked: an accessibility snapshot, or a tree made for a test.
protocol ElementSource {
    var facts: ElementFacts { get }
    var childSources: [Self] { get }
}

enum ElementTree {
    static let nodeLimit = 2048

    private struct Node {
        var facts: ElementFacts
        var parent: Int
        var children: [Int] = []
        var survives = false
    }

    /// The JSON array of a tree reply. Nodes are taken breadth-first up to the limit, so that what is cut off is the
    /// deepest; then nodes with nothing to tell are pruned from the bottom up.
    static func json<Source: ElementSource>(root: Source, limit: Int = nodeLimit) -> String {
        var nodes: [Node] = []
        var queue: [(source: Source, parent: Int)] = [(root, -1)]
        var head = 0
        while head < queue.count, nodes.count < limit {
            let (source, parent) = queue[head]
            head += 1
            nodes.append(Node(facts: source.facts, parent: parent))
            let index = nodes.count - 1
            // No more is queued than can still be taken.
            let room = max(0, limit - nodes.count - (queue.count - head))
            queue.append(contentsOf: source.childSources.prefix(room).map { ($0, index) })
        }
        prune(&nodes)
        guard let root = nodes.first, root.survives else { return "[]" }
        return "[" + emit(nodes) + "]"
    }

    /// Children come after their parents, so one walk from the back sees every child before its parent.
    private static func prune(_ nodes: inout [Node]) {
        for index in nodes.indices.reversed() {
            let node = nodes[index]
            let hasArea = node.facts.frame?.hasArea ?? false
            nodes[index].survives = node.facts.hasIdentity || hasArea || !node.children.isEmpty
            if nodes[index].survives, node.parent >= 0 {
                nodes[node.parent].children.append(index)
            }
        }
        for index in nodes.indices {
            nodes[index].children.reverse()
        }
    }

    private static func emit(_ nodes: [Node]) -> String {
        var out = ""
        var open: [(index: Int, next: Int)] = []
        func begin(_ index: Int) {
            let told = members(of: nodes[index].facts)
            out += "{" + told
            if !nodes[index].children.isEmpty {
                out += (told.isEmpty ? "" : ",") + "\"children\":["
            }
            open.append((index, 0))
        }
        begin(0)
        while let (index, next) = open.last {
            let children = nodes[index].children
            if next < children.count {
                open[open.count - 1].next += 1
                if next > 0 { out += "," }
                begin(children[next])
            } else {
                out += children.isEmpty ? "}" : "]}"
                open.removeLast()
            }
        }
        return out
    }

    /// The JSON object of one element, without children.
    static func json(_ facts: ElementFacts) -> String {
        "{" + members(of: facts) + "}"
    }

    private static func members(of facts: ElementFacts) -> String {
        var members: [String] = []
        func add(_ key: String, _ text: String) {
            if !text.isEmpty { members.append("\"\(key)\":\(quoted(text))") }
        }
        add("AXUniqueId", facts.identifier)
        add("AXLabel", facts.label)
        add("AXValue", facts.value)
        add("type", facts.type)
        add("role", facts.type)
        if let frame = facts.frame {
            let numbers = [("x", frame.x), ("y", frame.y), ("width", frame.width), ("height", frame.height)]
            // A frame of an element that is nowhere may be infinite, and JSON has no word for that.
            let parts = numbers.map { "\"\($0.0)\":\($0.1.isFinite ? $0.1 : 0)" }
            members.append("\"frame\":{" + parts.joined(separator: ",") + "}")
        }
        if let hittable = facts.hittable {
            members.append("\"hittable\":\(hittable)")
        }
        return members.joined(separator: ",")
    }

    static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            case _ where scalar.value < 0x20:
                let hex = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
