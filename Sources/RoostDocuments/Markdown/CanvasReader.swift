import Foundation
import RoostModel

/// Reads canvases of Obsidian, which are JSON files with the texts, files and links on a board.
///
/// The text has one section for each group, with the texts of its nodes from top to bottom and from left to
/// right, and wiki links for the files. Labels of connections follow.
public struct CanvasReader: DocumentReader {
    /// The type of canvas files.
    public static let type = DocumentType(
        name: "canvas", title: "Obsidian canvas", extensions: ["canvas"])

    public let version = 2

    public let types = [Self.type]

    /// The structure of the JSON.
    private struct Canvas: Decodable {
        struct Node: Decodable {
            var id: String?
            var type: String?
            var text: String?
            var file: String?
            var subpath: String?
            var url: String?
            var label: String?
            var x: Double?
            var y: Double?
            var width: Double?
            var height: Double?

            func contains(_ other: Node) -> Bool {
                guard let x, let y, let width, let height, let otherX = other.x, let otherY = other.y else {
                    return false
                }
                return (x...max(x, x + width)).contains(otherX) && (y...max(y, y + height)).contains(otherY)
            }
        }

        struct Edge: Decodable {
            var label: String?
        }

        var nodes: [Node]?
        var edges: [Edge]?
    }

    /// Creates a reader.
    public init() {}

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        try input.requireReadableSize()
        let isEmpty = input.data.allSatisfy(\.isMarkdownSpace)
        let canvas: Canvas
        do {
            canvas = isEmpty ? Canvas() : try JSONDecoder().decode(Canvas.self, from: input.data)
        } catch {
            throw DocumentError.damaged("it is not a canvas: \(Self.reason(error))")
        }
        let nodes = canvas.nodes ?? []
        guard nodes.count <= input.limits.maximumParts else {
            throw DocumentError.limitExceeded(
                "it has \(nodes.count) nodes, more than the limit of \(input.limits.maximumParts)")
        }
        let text = Self.text(nodes, labels: (canvas.edges ?? []).compactMap(\.label))
        var document = MarkdownReader.document(text, type: type)
        // The first heading is the label of a group and not the title of the canvas.
        document.title = input.fileStem
        return [document]
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            context.codingPath.map(\.stringValue).joined(separator: ".") + " has an unexpected type"
        default: "the JSON is not valid"
        }
    }

    // MARK: Text

    /// The maximum number of groups that are compared with each node.
    private static let maximumGroups = 500

    private static func text(_ nodes: [Canvas.Node], labels: [String]) -> String {
        let ordered = nodes.sorted { ($0.y ?? 0, $0.x ?? 0) < ($1.y ?? 0, $1.x ?? 0) }
        let groups = ordered.filter { $0.type == "group" }.prefix(maximumGroups)
        var parts: [String] = []
        var members = [[String]](repeating: [], count: groups.count)
        for node in ordered where node.type != "group" {
            guard let content = content(node) else { continue }
            // The smallest group that contains a node is the innermost one.
            let group = groups.indices.filter { groups[$0].contains(node) }
                .min { area(groups[$0]) < area(groups[$1]) }
            if let group { members[group].append(content) } else { parts.append(content) }
        }
        for (index, group) in groups.enumerated() {
            let label = (group.label ?? "").split(whereSeparator: \.isNewline).joined(separator: " ").trimmed
            if !label.isEmpty { parts.append("## \(label)") }
            parts += members[index]
        }
        for group in ordered.filter({ $0.type == "group" }).dropFirst(maximumGroups) {
            if let label = group.label?.trimmed, !label.isEmpty { parts.append(label) }
        }
        let connections = labels.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ").trimmed }
            .filter { !$0.isEmpty }
        if !connections.isEmpty { parts.append(connections.map { "- \($0)" }.joined(separator: "\n")) }
        return parts.isEmpty ? "" : parts.joined(separator: "\n\n") + "\n"
    }

    private static func area(_ group: Canvas.Node) -> Double { (group.width ?? 0) * (group.height ?? 0) }

    private static func content(_ node: Canvas.Node) -> String? {
        let content: String? =
            switch node.type {
            case "file": node.file.map { "[[\($0)\(node.subpath ?? "")]]" }
            case "link": node.url.map { "<\($0)>" }
            default: node.text
            }
        return content.flatMap { $0.trimmed.isEmpty ? nil : $0 }
    }
}
