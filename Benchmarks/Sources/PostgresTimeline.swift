import Foundation

/// The entries that a benchmark process has committed or received, and when.
struct PostgresTimeline: Encodable {
    /// The numbers of the entries.
    private(set) var numbers: [Int] = []
    /// The time of each entry, in seconds since 1970.
    private(set) var times: [Double] = []

    /// Adds entries that were committed or received at the present time.
    mutating func append(_ added: [Int]) {
        numbers += added
        times += Array(repeating: Date().timeIntervalSince1970, count: added.count)
    }
}
