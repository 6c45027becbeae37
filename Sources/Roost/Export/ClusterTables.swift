public import Foundation
import RoostModel
import RoostText

extension ClusterExport {
    /// The export as CSV (RFC 4180), with one row for each member and each outlier: `id`, `cluster`, `label`,
    /// `path` (the labels of the ancestors and of the cluster, joined by ` > `), `similarity`, `confidence`,
    /// `outlier` (the reason), `source`, `tags` (joined by `;`), `content`. Texts that a spreadsheet would
    /// run as formulas begin with an apostrophe.
    public var csv: Data { csv(escapingFormulas: true) }

    /// Returns the export as CSV, as ``csv`` does.
    ///
    /// - Parameter escapingFormulas: Whether to put an apostrophe before texts that a spreadsheet would run
    ///   as formulas: those that begin with `=`, `+`, `-`, `@` or one of their full-width forms, a tab, a
    ///   carriage return or a line feed. Otherwise the texts are unchanged, which is unsafe in spreadsheets.
    public func csv(escapingFormulas: Bool) -> Data {
        var lines = ["id,cluster,label,path,similarity,confidence,outlier,source,tags,content"]
        func add(_ fields: [String]) { lines.append(DelimitedLine.csv(fields)) }
        func text(_ text: String) -> String {
            escapingFormulas ? DelimitedLine.escapingFormula(text) : text
        }
        func walk(_ group: Group, _ path: [String]) {
            let path = path + [group.label]
            for member in group.members {
                add([
                    member.id, group.id, text(group.label), text(path.joined(separator: " > ")),
                    "\(member.similarity)", "\(member.confidence)", "", text(member.source ?? ""),
                    text(member.tags.joined(separator: ";")), text(member.content),
                ])
            }
            for child in group.children ?? [] { walk(child, path) }
        }
        for cluster in clusters { walk(cluster, []) }
        for outlier in outliers {
            add([
                outlier.id, "", "", "", "\(outlier.similarity)", "0", outlier.reason,
                text(outlier.source ?? ""), text(outlier.tags.joined(separator: ";")), text(outlier.content),
            ])
        }
        return Data((lines.joined(separator: "\r\n") + "\r\n").utf8)
    }

    /// Returns the export as Markdown for human readers: a heading for each cluster, followed by its
    /// keywords, quality figures and nearest members. A member with a title is listed by its title, another
    /// one by the beginning of its text.
    ///
    /// - Parameter limit: The maximum number of members to list for each cluster.
    public func markdown(members limit: Int = 10) -> Data {
        var lines = ["# Clusters", ""]
        if let run {
            let entries = run.stamp.entryCount
            let method = Self.methodNames[run.algorithm] ?? run.algorithm
            lines += ["\(clusterSummary) of \(entries) entries (\(method)), \(run.createdAt).", ""]
        }
        func add(_ group: Group, _ depth: Int) {
            lines += [
                String(repeating: "#", count: min(Self.maximumHeadingLevel, depth)) + " "
                    + Self.markdownLine(group.label), "",
            ]
            let size = group.size == 1 ? "1 entry" : "\(group.size) entries"
            var facts = [size, "cohesion \(Self.rounded(group.cohesion))"]
            if let separation = group.separation { facts.append("separation \(Self.rounded(separation))") }
            if let silhouette = group.silhouette { facts.append("silhouette \(Self.rounded(silhouette))") }
            lines += [facts.joined(separator: ", ") + ".", ""]
            if !group.keywords.isEmpty {
                lines += [group.keywords.map(Self.markdownLine).joined(separator: ", "), ""]
            }
            lines += group.members.prefix(max(0, limit)).map {
                "- \(Self.markdownLine(Self.title($0.content, $0.metadata)))"
            }
            if group.members.count > limit { lines.append("- and \(group.members.count - limit) more") }
            if !group.members.isEmpty { lines.append("") }
            for child in group.children ?? [] { add(child, depth + 1) }
        }
        for cluster in clusters { add(cluster, 2) }
        if !outliers.isEmpty {
            lines += ["## In no cluster", ""]
            lines += outliers.map {
                "- \(Self.markdownLine(Self.title($0.content, $0.metadata))) (\($0.reason))"
            }
            lines.append("")
        }
        return Data(lines.joined(separator: "\n").utf8)
    }

    /// The names of the methods in the literature.
    private static let methodNames = [
        "leiden": "Leiden", "hdbscan": "HDBSCAN", "spherical-k-means": "k-means",
    ]

    private var clusterSummary: String {
        let count = allClusters.count { $0.children == nil }
        return count == 1 ? "1 cluster" : "\(count) clusters"
    }

    private static func rounded(_ value: Float) -> String { String(format: "%.3f", value) }

    /// Returns the title of an entry that has one; otherwise, its text.
    private static func title(_ content: String, _ metadata: [String: MetadataValue]) -> String {
        Entry.title(in: metadata) ?? TextTitle.explicitTitle(of: content) ?? content
    }

    /// The maximum length of a text in Markdown, in characters.
    private static let maximumLineLength = 200
    /// The deepest level of headings in Markdown.
    private static let maximumHeadingLevel = 6

    /// Returns a text as one line of limited length, with the special characters of Markdown escaped.
    private static func markdownLine(_ text: String) -> String {
        var line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if line.count > maximumLineLength { line = line.prefix(maximumLineLength) + "…" }
        var escaped = ""
        for character in line {
            if "\\`*_{}[]()<>#+-.!|~&".contains(character) { escaped.append("\\") }
            escaped.append(character)
        }
        return escaped
    }
}
