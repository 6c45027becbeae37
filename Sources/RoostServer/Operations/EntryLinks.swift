package import Roost
import RoostDocuments
import RoostModel

/// The JSON form of a link, seen from one of its entries.
package struct LinkDocument: Codable, Sendable {
    /// `to` for a link of the entry, `from` for the link of another entry to it.
    package var direction: String
    package var kind: String
    package var target: String
    package var fragment: String?
    package var text: String?
    /// `entry`, `external`, `file` or `missing`.
    package var destination: String
    /// The id of the entry at the other end; `nil` for other destinations.
    package var entry: String?
    /// The title and the path of the entry from which the link leads here.
    package var title: String?
    package var path: String?

    private init(_ link: EntryLink, direction: String) {
        (self.direction, kind, target) = (direction, link.link.kind.rawValue, link.link.target)
        (fragment, text) = (link.link.fragment, link.link.text)
        switch link.destination {
        case .entry(let id): (destination, entry) = ("entry", id.text)
        case .external: destination = "external"
        case .file: destination = "file"
        case .missing: destination = "missing"
        }
    }

    /// Returns the links of an entry, and then those of other entries to it.
    package static func links(of id: Entry.ID, in graph: LinkGraph) async throws -> [LinkDocument] {
        try await graph.of(id).map { LinkDocument($0, direction: "to") }
            + graph.to(id).map { item in
                var document = LinkDocument(item.link, direction: "from")
                (document.entry, document.title, document.path) = (item.id.text, item.title, item.path)
                return document
            }
    }
}

struct ListLinks: Operation {
    struct Output: Codable, Sendable {
        var links: [LinkDocument]
    }

    var id: String

    static let name = "links"
    static let summary = "List the links of an entry, and the links of other entries to it."
    // Links lead to entries, and come from entries, that rules could hide.
    static let access = OperationAccess(.reads, .everything)
    static let route = OperationRoute(.get, "/entries/{id}/links")
    static let parameters = [FetchEntry.idParameter]

    func run(in context: OperationContext) async throws -> Output {
        let entry = try await context.entry(id)
        return Output(
            links: try await LinkDocument.links(of: entry.id, in: try await LinkGraph(context.snapshot)))
    }
}
