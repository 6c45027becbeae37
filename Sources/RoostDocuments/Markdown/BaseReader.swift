import Foundation
import RoostModel

/// Reads bases of Obsidian, which are YAML files with views of the notes of a vault.
///
/// The text has one section for each view, with its filters and columns, after the filters, formulas and
/// properties of the base.
public struct BaseReader: DocumentReader {
    /// The type of base files.
    public static let type = DocumentType(name: "base", title: "Obsidian base", extensions: ["base"])

    public let version = 2

    public let types = [Self.type]

    /// The maximum number of bytes of a file.
    private static let maximumLength = 1 << 20

    /// Creates a reader.
    public init() {}

    public func read(_ input: DocumentInput, as type: DocumentType) async throws -> [Document] {
        guard input.data.count <= min(Self.maximumLength, input.limits.maximumTextBytes) else {
            throw DocumentError.limitExceeded(
                "it has \(input.data.count) bytes, more than the limit of \(Self.maximumLength)")
        }
        guard let text = String(validating: input.data, as: UTF8.self) else {
            throw DocumentError.damaged("it is not valid UTF-8")
        }
        let value: FrontMatterValue?
        do {
            value = try YAMLFrontMatter.value(text)
        } catch {
            throw DocumentError.damaged("it is not valid YAML, or has too many values")
        }
        let members: [FrontMatterMember]
        switch value {
        case .object(let found): members = found
        case nil, .scalar(.null, _): members = []
        default: throw DocumentError.damaged("it is not a base: it has no keys")
        }
        return [Document(type: type, title: input.fileStem, text: Self.text(members), format: .markdown)]
    }

    // MARK: Text

    private static func text(_ members: [FrontMatterMember]) -> String {
        var parts: [String] = []
        for member in members {
            switch member.key {
            case "filters": parts.append(list("Filters", filters(member.value)))
            case "formulas": parts.append(list("Formulas", pairs(member.value)))
            case "properties": parts.append(list("Properties", displayNames(member.value)))
            case "views":
                guard case .array(let views) = member.value else { continue }
                parts += views.map(view)
            default: parts.append(list(member.key, member.value.texts))
            }
        }
        let text = parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
        return text.isEmpty ? "" : text + "\n"
    }

    private static func view(_ value: FrontMatterValue) -> String {
        guard case .object(let members) = value else { return "" }
        func member(_ key: String) -> FrontMatterValue? { members.last { $0.key == key }?.value }
        let name = member("name")?.text ?? member("type")?.text ?? "View"
        var parts = ["## \(name)"]
        if let found = member("filters") { parts.append(list("Filters", filters(found))) }
        if let columns = member("order")?.texts, !columns.isEmpty {
            parts.append("Columns: \(columns.joined(separator: ", "))")
        }
        if let group = member("groupBy")?.text { parts.append("Grouped by \(group)") }
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// Returns the conditions in nested lists of filters. `not` precedes excluded conditions.
    private static func filters(_ value: FrontMatterValue) -> [String] {
        switch value {
        case .scalar: value.texts
        case .array(let values): values.flatMap { filters($0) }
        case .object(let members):
            members.flatMap { member in
                filters(member.value).map { member.key == "not" ? "not \($0)" : $0 }
            }
        }
    }

    private static func pairs(_ value: FrontMatterValue) -> [String] {
        guard case .object(let members) = value else { return value.texts }
        return members.map { "\($0.key): \($0.value.texts.joined(separator: ", "))" }
    }

    private static func displayNames(_ value: FrontMatterValue) -> [String] {
        guard case .object(let members) = value else { return value.texts }
        return members.map { member in
            guard case .object(let details) = member.value,
                let name = details.last(where: { $0.key == "displayName" })?.value.text
            else { return member.key }
            return "\(member.key): \(name)"
        }
    }

    private static func list(_ title: String, _ items: [String]) -> String {
        items.isEmpty ? "" : "\(title):\n\n" + items.map { "- \($0)" }.joined(separator: "\n")
    }
}
