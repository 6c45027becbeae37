import Foundation
import TestSupport
import Testing

/// Tests of the command. `Tests/Clients/pandas_tables.py` compares the contents of the files with JSON Lines.
@Suite(.temporaryFolders) struct ParquetExportTests {
    private let cli = CommandLineDriver()

    @Test func `A Parquet file has its magic number, and is written only to a named file`() throws {
        #expect(try cli.roost("init", "s", "--model=lexical").status == 0)
        #expect(try cli.roost("export", "entries", "--store=s", "--format=parquet").status == 64)
        #expect(try cli.roost("export", "entries", "--store=s", "-o", "e.parquet").status == 0)
        let data = try Data(contentsOf: cli.home.appendingPathComponent("e.parquet"))
        #expect(data.prefix(4) == Data("PAR1".utf8) && data.suffix(4) == Data("PAR1".utf8))
    }
}
