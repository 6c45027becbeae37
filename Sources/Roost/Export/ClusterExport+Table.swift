public import Foundation
import RoostModel

extension ClusterExport {
    /// The export as CSV (RFC 4180), with one row for each member and each outlier: `id`, `cluster`, `label`,
    /// `path` (the labels of the ancestors and of the cluster, joined by ` > `), `similarity`, `confidence`,
    /// `outlier` (the reason), `source`, `tags` (joined by `;`), `content`. Texts that a spreadsheet would
    /// run as formulas begin with an apostrophe.
    public func csv() -> Data {
        var lines = ["id,cluster,label,path,similarity,confidence,outlier,source,tags,content"]
        func add(_ fields: [String]) { lines.append(DelimitedLine.csv(fields)) }
        func text(_ text: String) -> String { DelimitedLine.escapingFormula(text) }
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
}
