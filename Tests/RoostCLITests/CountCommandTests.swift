import Foundation
import Roost
import TestSupport
import Testing

@testable import RoostCLI

/// Tests of `roost count`.
@Suite(.temporaryFolders) struct CountCommandTests {
    private let cli = CommandLineDriver()

    private func run(_ arguments: String...) throws -> String {
        let outcome = try cli.roost(["count", "--store=s"] + arguments)
        #expect(outcome.status == 0, "\(outcome)")
        return outcome.output
    }

    private func prepare() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        for (text, options) in [
            ("a swift", ["--tag", "birds", "--meta", "status=open"]), ("a heron", ["--tag", "birds"]),
            ("green tea", ["--tag", "tea", "--meta", "status=done"]), ("a text", []),
        ] {
            #expect(try cli.roost(["add", text, "--store=s"] + options).status == 0)
        }
    }

    @Test func `Entries are counted, also by one property`() throws {
        try prepare()
        #expect(try run() == "4\n")
        #expect(try run("--tag=birds") == "2\n")
        #expect(try run("--tag=none") == "0\n")
        #expect(try run("--by=tag", "--format=csv") == "tag,count\nbirds,2\ntea,1\n,1\n")
        #expect(try run("--by=tag", "-n1", "--template={tag}: {count}") == "birds: 2\n")
        let json = try JSONSerialization.jsonObject(with: Data(run("--by=status", "--json").utf8))
        let rows = try #require(json as? [[String: Any]])
        #expect(rows.map { $0["status"] as? String } == [nil, "done", "open"])
        #expect(rows.map { $0["count"] as? Int } == [2, 1, 1])
        #expect(rows[0]["status"] is NSNull)
    }

    @Test func `Two properties are a table, or rows of CSV`() throws {
        try prepare()
        let lines = try run("--by=tag", "--by=status").split(separator: "\n").map {
            $0.split(separator: " ").map(String.init)
        }
        #expect(
            lines == [
                ["tag", "-", "done", "open", "all"], ["birds", "1", "-", "1", "2"],
                ["tea", "-", "1", "-", "1"], ["-", "1", "-", "-", "1"],
            ])
        #expect(try run("--by=tag", "--by=status", "--format=tsv").hasPrefix("tag\tstatus\tcount\nbirds\t"))
        #expect(try run("--by=year", "--by=month", "--tag=tea").hasSuffix("1    1\n"))
    }

    @Test(arguments: [
        (["--by=tag", "--by=tag"], "two different"), (["--by=a", "--by=b", "--by=c"], "at most twice"),
        (["--by=metadata."], "needs a metadata key"), (["-n0"], "at least 1"),
        (["-n5"], "the rows of --by"),
    ])
    func `Wrong arguments have a message`(arguments: [String], part: String) throws {
        let outcome = try cli.roost(["count"] + arguments)
        #expect(outcome.status == 64 && outcome.error.contains(part), "\(outcome)")
    }

    @Test func `A table has the newest periods, or the most frequent values`() {
        let months = (1...14).map { "2025-\($0 < 10 ? "0" : "")\($0)" }
        let counts = months.map { EntryCount(values: ["a", $0], count: 1) }
        let periods = CountTable(counts, of: [.tag, .month], rowLimit: nil)
        #expect(periods.columns == Array(months.suffix(12)) && periods.omittedColumns == 2)
        let long = CountTable(
            [EntryCount(values: ["a", String(repeating: "x", count: 9_000)], count: 1)],
            of: [.tag, .metadata("k")], rowLimit: nil)
        #expect(long.columns[0].count <= 61 && long.columns[0].hasPrefix("xxx"))
        #expect(periods.rows.count == 1 && periods.rows[0].last == "14")
        let values = CountTable(
            [
                EntryCount(values: ["a", "x"], count: 1), EntryCount(values: ["a", nil], count: 1),
                EntryCount(values: ["b", "y"], count: 3), EntryCount(values: [nil, "x"], count: 1),
            ], of: [.tag, .metadata("k")], rowLimit: 2)
        #expect(values.columns == ["y", "x", "-"])
        #expect(values.rows == [["a", "-", "1", "1", "2"], ["b", "3", "-", "-", "3"]])
    }
}
