import Foundation
import RoostModel

/// Finds the links in the blocks of a page.
enum HTMLLinks {
    /// Returns the links in blocks, in order and without duplicates.
    ///
    /// - Parameters:
    ///   - blocks: The blocks.
    ///   - page: The page that contains the blocks.
    ///   - address: The path or URL of the page. If it is a URL, or if the page states its base URL, relative
    ///     links become complete URLs; otherwise they remain as written.
    static func links(in blocks: [HTMLBlock], of page: HTMLPage, address: String) -> [DocumentLink] {
        let base = baseAddress(of: page, address: address)
        var links: [DocumentLink] = []
        var known: Set<Int> = []
        var targets: Set<DocumentLink> = []
        for block in blocks {
            for text in block.texts {
                let anchor = page.tree.ancestors(of: text).first { page.tree.nodes[$0].tag == "a" }
                guard let anchor, known.insert(anchor).inserted,
                    let target = page.tree.nodes[anchor].attribute("href"),
                    let link = link(target, text: page.tree.text(of: anchor), base: base)
                else { continue }
                if targets.insert(link).inserted { links.append(link) }
            }
        }
        return links
    }

    private static func baseAddress(of page: HTMLPage, address: String) -> URL? {
        let stated = page.tree.nodes.first { $0.tag == "base" }?.attribute("href")
        let own = address.hasPrefix("https://") || address.hasPrefix("http://") ? URL(string: address) : nil
        guard let stated, let url = URL(string: stated, relativeTo: own) else { return own }
        return url.scheme == nil ? own : url.absoluteURL
    }

    private static func link(_ target: String, text: String, base: URL?) -> DocumentLink? {
        var target = target.trimmingCharacters(in: .whitespacesAndNewlines)
        let scheme = target.prefix { $0.isLetter || $0.isNumber || "+-.".contains($0) }
        let hasScheme = !scheme.isEmpty && target.dropFirst(scheme.count).first == ":"
        if hasScheme, !["http", "https", "ftp", "mailto"].contains(scheme.lowercased()) { return nil }
        guard !target.isEmpty, target != "#" else { return nil }
        if !hasScheme, !target.hasPrefix("#"), let base, let url = URL(string: target, relativeTo: base) {
            target = url.absoluteString
        }
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let fragment = parts.count > 1 && !parts[1].isEmpty ? String(parts[1]) : nil
        return DocumentLink(
            kind: .address, target: String(parts[0]), fragment: fragment, text: text.isEmpty ? nil : text)
    }
}
