import Foundation
import TestSupport
import Testing

/// Tests of exports as Parquet, which pandas and pyarrow read.
@Suite(.temporaryFolders) struct ParquetExportTests {
    private let cli = CommandLineDriver()

    /// Runs a script of Python, and returns whether it succeeded.
    private static func python(_ script: String, in folder: URL? = nil) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script]
        if let folder { process.currentDirectoryURL = folder }
        if folder == nil { process.standardError = FileHandle.nullDevice }
        guard (try? TestTool.start(process)) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    private static let hasReader = python("import pandas, pyarrow")

    private static let script = """
        import json, pandas
        table = pandas.read_parquet("e.parquet")
        lines = [json.loads(line) for line in open("e.jsonl", encoding="utf-8")]
        assert len(table) == len(lines) == 3, (len(table), len(lines))
        for row, entry in zip(table.to_dict("records"), lines):
            assert row["id"].lower() == entry["id"].lower(), row
            assert row["content"] == entry["content"], row
            assert list(row["tags"]) == entry.get("tags", []), row
            assert json.loads(row["metadata"]) == entry.get("metadata", {}), row
            for name in ["createdAt", "updatedAt"]:
                assert row[name] == pandas.Timestamp(entry[name]), row
            vector = entry["embeddings"]
            assert len(row["embedding"]) == len(vector), row
            assert all(abs(a - b) < 1e-6 for a, b in zip(row["embedding"], vector)), row
        assert len(pandas.read_parquet("none.parquet")) == 0
        """

    @Test func `A Parquet file has its magic number, and is written only to a named file`() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        #expect(try cli.roost("export", "entries", "--store=s", "--format=parquet").status == 64)
        #expect(try cli.roost("export", "entries", "--store=s", "-o", "e.parquet").status == 0)
        let data = try Data(contentsOf: cli.home.appendingPathComponent("e.parquet"))
        #expect(data.prefix(4) == Data("PAR1".utf8) && data.suffix(4) == Data("PAR1".utf8))
    }

    @Test(.enabled(if: hasReader, "python3 has no pandas and pyarrow"))
    func `pandas reads the same entries from Parquet as from JSON Lines`() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        let options = ["--tag=a;b", "--tag=ü", "--meta=n=1"]
        #expect(try cli.roost(["add", "--store=s"] + options + ["Tee in 東京"]).status == 0)
        for text in ["=SUM(1) is\na formula", "green tea, \"steeped\""] {
            #expect(try cli.roost("add", "--store=s", text).status == 0)
        }
        for name in ["e.parquet", "e.jsonl"] {
            let outcome = try cli.roost("export", "entries", "--store=s", "--with-embeddings", "-o", name)
            #expect(outcome.status == 0, "\(outcome)")
        }
        let none = try cli.roost("export", "entries", "--store=s", "--tag=none", "-o", "none.parquet")
        #expect(none.status == 0, "\(none)")
        #expect(Self.python(Self.script, in: cli.home))
    }
}
