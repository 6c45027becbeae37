import Foundation
import Roost

/// The model and data that the benchmarks use, and functions that measure durations and print results.
enum Material {
    /// Opens the installed model all-MiniLM-L6-v2.
    static func model() throws -> any Embedder { try BERTEmbedder(folder: modelFolder) }

    /// The folder of the installed model all-MiniLM-L6-v2.
    static var modelFolder: URL {
        let environment = ProcessInfo.processInfo.environment
        let data = environment["XDG_DATA_HOME"] ?? (environment["HOME"] ?? "") + "/.local/share"
        let folder = environment["ROOST_MODELS"] ?? data + "/roost/models"
        return URL(fileURLWithPath: folder).appendingPathComponent("all-MiniLM-L6-v2")
    }

    /// The folder with external data sets: the value of the environment variable ROOST_EVAL, or the current
    /// folder if it is not set.
    static var data: URL {
        URL(fileURLWithPath: ProcessInfo.processInfo.environment["ROOST_EVAL"] ?? ".")
    }

    /// A row of a data set.
    struct Row: Decodable, Sendable {
        var id: String
        var text: String
        var label: String?
        var conversation: String?
        var category: Int?
    }

    /// Reads a data set in JSON Lines.
    static func rows(_ path: String) throws -> [Row] {
        try Data(contentsOf: data.appendingPathComponent(path)).split(separator: 10)
            .map { try JSONDecoder().decode(Row.self, from: $0) }
    }

    /// Returns pseudorandom unit vectors, which are the same in every call with the same arguments.
    static func vectors(_ count: Int, _ dimension: Int) -> Matrix {
        var generator = SeededGenerator(seed: 1)
        let elements = (0..<count * dimension).map { _ in Float(generator.nextNormal()) }
        var matrix = Matrix(rows: count, columns: dimension, elements: elements)
        matrix.normalizeRows()
        return matrix
    }

    /// Returns the duration of a synchronous call in seconds.
    static func now(_ body: () -> Void) -> Double {
        let start = ContinuousClock.now
        body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// Returns the duration of a call in seconds.
    static func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let start = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - start) / .seconds(1)
    }

    /// The peak resident size of the process so far, in megabytes.
    static var peakMegabytes: Int {
        var usage = rusage()
        getrusage(0, &usage)  // RUSAGE_SELF
        return Int(usage.ru_maxrss) / 1024
    }

    /// Prints a measurement.
    static func line(_ name: String, _ value: Double, _ unit: String) {
        print(name.padding(toLength: 44, withPad: " ", startingAt: 0), String(format: "%10.3f", value), unit)
    }
}
