import ArgumentParser
import Foundation
import Roost
import RoostPostgres

struct PostgresQueries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "postgres-queries",
        abstract: "Search in the database of a store, and print durations and results as JSON.",
        discussion: "Each query takes a snapshot and finds the nearest passages.")

    @OptionGroup var options: PostgresOptions
    @Option(help: "An NPY file of Float16 or Float32 with the queries.") var queries: String
    @Option(help: "The number of queries to use.") var count = 200
    @Option(help: "The number of passages to find.") var limit = 10

    private struct Result: Encodable {
        var milliseconds: [Double] = []
        var found: [[Int]] = []
        var methods: Set<String> = []
    }

    func run() async throws {
        let vectors = try NumPy.matrix(queries)
        let store = try await options.open()
        var result = Result()
        for row in 0..<min(10, count, vectors.rows) { _ = try await search(store, vectors.row(row)) }
        for row in 0..<min(count, vectors.rows) {
            var found: NearestPassages?
            let seconds = try await Material.seconds { found = try await search(store, vectors.row(row)) }
            result.milliseconds.append(seconds * 1000)
            result.found.append(found?.passages.map { PostgresOptions.number($0.entry) } ?? [])
            if let method = found?.plan.method.rawValue { result.methods.insert(method) }
        }
        try PostgresOptions.report(result)
        try await store.close()
    }

    private func search(_ store: any StorageProvider, _ vector: [Float]) async throws -> NearestPassages? {
        try await store.snapshot().passageSearch?.nearestPassages(
            to: vector, limit: limit, in: .matching(.all), isExact: false)
    }
}
