import Roost
import RoostDocuments

/// The JSON output for a link.
struct LinkDocument: Encodable {
    var kind: String
    var target: String
    var fragment: String?
    var text: String?
    /// `entry`, `external`, `file` or `missing`.
    var destination: String
    /// The id of the entry to which the link leads; `nil` for other destinations.
    var entry: String?

    init(_ link: EntryLink) {
        kind = link.link.kind.rawValue
        target = link.link.target
        fragment = link.link.fragment
        text = link.link.text
        switch link.destination {
        case .entry(let id): (destination, entry) = ("entry", id.text)
        case .external: destination = "external"
        case .file: destination = "file"
        case .missing: destination = "missing"
        }
    }
}
