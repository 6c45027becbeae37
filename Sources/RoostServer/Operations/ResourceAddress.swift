import Foundation
import RoostModel

/// The address of a resource: `roost://entry/ID`, `roost://cluster/ID` or `roost://source/SOURCE`.
enum ResourceAddress: Hashable {
    case entry(Entry.ID)
    case cluster(Cluster.ID)
    /// A source, whose id is percent-encoded in the address.
    case source(Source.ID)

    static let entryPrefix = "roost://entry/"
    static let clusterPrefix = "roost://cluster/"
    static let sourcePrefix = "roost://source/"

    /// Parses an address.
    ///
    /// - Returns: `nil` if the text is not the address of a resource.
    init?(_ uri: String) {
        if uri.hasPrefix(Self.entryPrefix),
            let id = UUID(uuidString: String(uri.dropFirst(Self.entryPrefix.count)))
        {
            self = .entry(id)
        } else if uri.hasPrefix(Self.clusterPrefix),
            let id = UUID(uuidString: String(uri.dropFirst(Self.clusterPrefix.count)))
        {
            self = .cluster(id)
        } else if uri.hasPrefix(Self.sourcePrefix),
            let id = String(uri.dropFirst(Self.sourcePrefix.count)).removingPercentEncoding, !id.isEmpty
        {
            self = .source(id)
        } else {
            return nil
        }
    }

    /// The characters of a source id that need no percent-encoding.
    private static let plainCharacters = CharacterSet.alphanumerics.intersection(
        CharacterSet(charactersIn: "\0"..."~")
    )
    .union(CharacterSet(charactersIn: "-._~/"))

    var uri: String {
        switch self {
        case .entry(let id): Self.entryPrefix + id.text
        case .cluster(let id): Self.clusterPrefix + id.text
        case .source(let id):
            Self.sourcePrefix
                + (id.addingPercentEncoding(withAllowedCharacters: Self.plainCharacters) ?? "")
        }
    }
}
