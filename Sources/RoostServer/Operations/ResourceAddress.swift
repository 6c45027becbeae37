import Foundation
import RoostModel

/// The address of a resource: `roost://entry/ID` or `roost://cluster/ID`.
enum ResourceAddress: Hashable {
    case entry(Entry.ID)
    case cluster(Cluster.ID)

    static let entryPrefix = "roost://entry/"
    static let clusterPrefix = "roost://cluster/"

    init?(_ uri: String) {
        func id(after prefix: String) -> UUID? {
            uri.hasPrefix(prefix) ? UUID(uuidString: String(uri.dropFirst(prefix.count))) : nil
        }
        if let id = id(after: Self.entryPrefix) {
            self = .entry(id)
        } else if let id = id(after: Self.clusterPrefix) {
            self = .cluster(id)
        } else {
            return nil
        }
    }

    var uri: String {
        switch self {
        case .entry(let id): Self.entryPrefix + id.text
        case .cluster(let id): Self.clusterPrefix + id.text
        }
    }
}
