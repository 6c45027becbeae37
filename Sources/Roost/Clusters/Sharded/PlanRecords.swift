import Foundation
import RoostClustering
import RoostFiles
import RoostModel
import RoostVectors

/// Reads and writes the work records of a clustering plan.
///
/// The record `clustering` is the plan. It is written last and removed first, so the other records are
/// complete while it exists. They contain the id of the plan in their names: `sample.ID.PAGE`,
/// `groups.ID.PAGE`, `shard.ID.COUNT.INDEX.PAGE` and, when a shard is complete, `done.ID.COUNT.INDEX`.
struct PlanRecords: Sendable {
    let records: any WorkRecords

    private static let planName = "clustering"
    private static let prefixes = ["sample.", "groups.", "shard.", "done."]

    // MARK: The plan

    /// Returns the plan; `nil` if the store has no plan.
    ///
    /// - Throws: ``RoostError`` with `.newerFormat`; `StorageError`.
    func plan() async throws -> ClusteringPlan? {
        struct Header: Codable { var format: Int }
        guard let data = try await records.read(Self.planName) else { return nil }
        do {
            let format = try JSONDecoder().decode(Header.self, from: data).format
            guard format <= ClusteringPlan.format else {
                throw RoostError(
                    .newerFormat,
                    "cannot read the clustering plan: its format \(format) is newer than this version "
                        + "supports (\(ClusteringPlan.format))", remedy: .upgradeRoost)
            }
            let plan = try JSONDecoder().decode(ClusteringPlan.self, from: data)
            let counts = [plan.sample, plan.groups].flatMap { [$0.rows, $0.pages] }
            guard (1...EmbeddingSpace.maximumDimension).contains(plan.dimension),
                (0...1).contains(plan.maximumOutliers),
                counts.allSatisfy({ (0...Int(UInt32.max)).contains($0) })
            else { throw Self.damage }
            return plan
        } catch is DecodingError {
            throw Self.damage
        }
    }

    private static var damage: StorageError {
        StorageError(.damaged, "the clustering plan is damaged", remedy: .discardClusteringPlan)
    }

    /// Writes a plan with its sample.
    ///
    /// - Parameter plan: The plan, without the summaries of the other records.
    /// - Returns: The complete plan.
    /// - Throws: `StorageError`; `CancellationError`.
    func write(_ plan: ClusteringPlan, _ sample: PlannedSample) async throws -> ClusteringPlan {
        var plan = plan
        let partition = sample.partition
        var entries = RecordPages.Writer(samplePages(plan))
        for (row, id) in sample.ids.enumerated() {
            try await entries.append { writer in
                writer.write(id)
                writer.write(Self.code(of: partition.labels[row]))
                writer.write(partition.similarities[row])
                writer.write(partition.confidences[row])
                sample.vectors.withRow(row) { writer.write(raw: UnsafeRawBufferPointer($0)) }
            }
        }
        plan.sample = try await entries.finish()
        var groups = RecordPages.Writer(groupPages(plan))
        for group in 0..<partition.count {
            try await groups.append { writer in
                writer.write(Int32(partition.parents[group] ?? -1))
                let stability =
                    partition.stabilities.indices.contains(group) ? partition.stabilities[group] : nil
                writer.write(stability ?? .nan)
                partition.centroids.withRow(group) { writer.write(raw: UnsafeRawBufferPointer($0)) }
            }
        }
        plan.groups = try await groups.finish()
        try await records.write(try Self.json(plan), as: Self.planName)
        return plan
    }

    /// Returns the JSON of a record. Equal values give equal bytes.
    static func json(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(value)
    }

    /// The maximum number of elements for which memory is reserved before they are read.
    private static let maximumReservation = 1 << 30

    /// Reads the sample of a plan.
    ///
    /// - Throws: `StorageError`, with `.damaged` if a record is missing or corrupt; `CancellationError`.
    func sample(of plan: ClusteringPlan) async throws -> PlannedSample {
        let (d, n) = (plan.dimension, plan.sample.rows)
        var parents: [Int?] = []
        var stabilities: [Float?] = []
        var centroids: [Float] = []
        try await groupPages(plan).read(plan.groups) { reader in
            let parent = try reader.read(Int32.self)
            parents.append(parent < 0 ? nil : Int(parent))
            let stability = try reader.float()
            stabilities.append(stability.isNaN ? nil : stability)
            try Self.appendVector(of: d, from: &reader, to: &centroids)
        }
        var (ids, labels) = ([Entry.ID](), [Partition.Label]())
        var (similarities, confidences, elements) = ([Float](), [Float](), [Float]())
        // A manipulated record must not reserve more memory than its pages can fill.
        elements.reserveCapacity(min(n * d, Self.maximumReservation))
        try await samplePages(plan).read(plan.sample) { reader in
            ids.append(try reader.uuid())
            labels.append(try Self.label(try reader.read(), groups: parents.count))
            similarities.append(try reader.float())
            confidences.append(try reader.float())
            try Self.appendVector(of: d, from: &reader, to: &elements)
        }
        let isValid = parents.enumerated().allSatisfy { group, parent in
            parent.map { $0 > group && $0 < parents.count } ?? true
        }
        guard !parents.isEmpty, !ids.isEmpty, isValid else { throw Self.damage }
        var partition = Partition(
            labels: labels, centroids: Matrix(rows: parents.count, columns: d, elements: centroids),
            similarities: similarities, confidences: confidences, parents: parents)
        partition.stabilities = stabilities.allSatisfy { $0 == nil } ? [] : stabilities
        return PlannedSample(
            ids: ids, vectors: Matrix(rows: ids.count, columns: d, elements: elements), partition: partition)
    }

    /// Removes the plan and all other records of plans.
    func remove() async throws {
        try await records.remove(withPrefix: Self.planName)
        for prefix in Self.prefixes { try await records.remove(withPrefix: prefix) }
    }

    private func samplePages(_ plan: ClusteringPlan) -> RecordPages {
        RecordPages(
            records: records, name: "sample.\(plan.run.id.text)", rowSize: 28 + 4 * plan.dimension)
    }

    private func groupPages(_ plan: ClusteringPlan) -> RecordPages {
        RecordPages(records: records, name: "groups.\(plan.run.id.text)", rowSize: 8 + 4 * plan.dimension)
    }

    private static func appendVector(
        of dimension: Int, from reader: inout BinaryReader, to elements: inout [Float]
    ) throws {
        let bytes = try reader.take(4 * dimension)
        for offset in stride(from: 0, to: bytes.count, by: 4) {
            let value = Float(
                bitPattern: UInt32(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            guard value.isFinite else { throw BinaryReader.InvalidData() }
            elements.append(value)
        }
    }

    // MARK: Labels

    /// Returns the code of a label: the group from 0, or a negative number for an outlier.
    static func code(of label: Partition.Label) -> Int32 {
        switch label {
        case .group(let group): Int32(group)
        case .outlier(.zeroVector): -1
        case .outlier(.distant): -2
        case .outlier(.sparse): -3
        }
    }

    static func label(_ code: Int32, groups: Int) throws -> Partition.Label {
        switch code {
        case 0..<Int32(clamping: groups): .group(Int(code))
        case -1: .outlier(.zeroVector)
        case -2: .outlier(.distant)
        case -3: .outlier(.sparse)
        default: throw BinaryReader.InvalidData()
        }
    }
}
