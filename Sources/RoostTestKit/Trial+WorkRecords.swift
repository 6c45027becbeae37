import Foundation
import RoostModel

extension Trial {
    /// Writes, replaces and removes work records, and checks that the contents of the store do not change.
    func workRecordsAreKept() async throws {
        // The law holds for providers that keep work records.
        guard let records = store.workRecords else { return }
        let stamp = try await store.snapshot().stamp
        try requireEqual(try await records.names(withPrefix: ""), [], "the names in a new store")
        try require(try await records.read("a") == nil, "a record exists that was never written")
        let large = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        for (name, data) in [("b.2", large), ("b.10", Data([0, 255])), ("a", Data()), ("c-1", Data([1]))] {
            try await records.write(data, as: name)
        }
        try requireEqual(
            try await records.names(withPrefix: ""), ["a", "b.10", "b.2", "c-1"], "all names")
        try requireEqual(try await records.names(withPrefix: "b."), ["b.10", "b.2"], "names with a prefix")
        try require(try await records.read("b.2") == large, "a large record was changed")
        try require(try await records.read("a") == Data(), "an empty record was changed")
        try await records.write(Data([2]), as: "b.2")
        try require(try await records.read("b.2") == Data([2]), "a record was not replaced")
        for name in ["", "A", "1", "a/b", "a b", "ä", String(repeating: "a", count: 101)] {
            try await requireError(.invalidBatch, "a record with an invalid name") {
                try await records.write(Data([1]), as: name)
            }
        }
        try await requireError(.invalidBatch, "a record that is too large") {
            try await records.write(Data(count: WorkRecordLimits.maximumSize + 1), as: "large")
        }
        try await records.remove(withPrefix: "b.")
        try await records.remove(withPrefix: "b.")
        try requireEqual(try await records.names(withPrefix: ""), ["a", "c-1"], "the remaining names")
        try requireEqual(try await store.snapshot().stamp, stamp, "the stamp after writing work records")
        try await records.remove(withPrefix: "")
        try requireEqual(try await records.names(withPrefix: ""), [], "the names after the last removal")
    }
}
