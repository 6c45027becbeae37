import Foundation
import RoostFiles
import RoostModel

/// Encodes and decodes clusters, sources and clustering runs as JSON, preceded by its length. The centroid of
/// a cluster follows its JSON in binary form.
enum RecordCodec {
    private static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    static func encode(_ clusters: [Cluster]) throws -> Data {
        let encoder = encoder()
        encoder.userInfo[.omitsVectors] = true
        var writer = BinaryWriter()
        for cluster in clusters {
            var record = cluster
            record.members = []
            writer.write(counted: Array(try encoder.encode(record)))
            writer.write(UInt32(cluster.centroid.count))
            for number in cluster.centroid { writer.write(number) }
        }
        return Data(writer.bytes)
    }

    static func decodeClusters(_ data: Data) throws -> [Cluster] {
        let records = try EntryCodec.reading(data) { reader throws(BinaryReader.InvalidData) in
            var records: [(Data, [Float])] = []
            while reader.remaining > 0 {
                let json = Data(try reader.counted())
                var centroid: [Float] = []
                for _ in 0..<(try reader.count(ofAtLeast: 4)) { centroid.append(try reader.float()) }
                records.append((json, centroid))
            }
            return records
        }
        return try records.map { json, centroid in
            var cluster = try JSONDecoder().decode(Cluster.self, from: json)
            cluster.centroid = centroid
            return cluster
        }
    }

    static func encode(_ sources: [Source]) throws -> Data {
        let encoder = encoder()
        var writer = BinaryWriter()
        for source in sources { writer.write(counted: Array(try encoder.encode(source))) }
        return Data(writer.bytes)
    }

    static func decodeSources(_ data: Data) throws -> [Source] {
        let records = try EntryCodec.reading(data) { reader throws(BinaryReader.InvalidData) in
            var records: [Data] = []
            while reader.remaining > 0 { records.append(Data(try reader.counted())) }
            return records
        }
        return try records.map { try JSONDecoder().decode(Source.self, from: $0) }
    }

    static func encode(_ run: ClusteringRun) throws -> Data { try encoder().encode(run) }

    static func decodeRun(_ data: Data) throws -> ClusteringRun {
        try JSONDecoder().decode(ClusteringRun.self, from: data)
    }
}
