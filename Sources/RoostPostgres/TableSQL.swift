import Foundation
import RoostModel

enum TableSQL {
    /// Returns the statement that inserts rows, which are given as one array per column.
    static func insertion(_ table: Table) -> String {
        let arrays = table.columns.enumerated().map { "$\($0.offset + 1)::\($0.element.type.name)[]" }
        return """
            INSERT INTO roost.\(table.name) (\(columnList(table)))
            SELECT * FROM unnest(\(arrays.joined(separator: ", ")))
            """
    }

    private static func columnList(_ table: Table) -> String {
        table.columns.map(\.name).joined(separator: ", ")
    }

    /// - Parameter revision: The first revision at which the rows are no longer valid.
    static func ending(
        _ table: Table, by key: String, _ values: Parameter, as type: ColumnType, store: UUID,
        at revision: Int64
    ) -> Statement {
        Statement(
            """
            UPDATE roost.\(table.name) SET removed_revision = $2::int8
            WHERE store = $1::uuid AND \(key) = ANY($3::\(type.name)[])
                AND removed_revision = \(Table.neverRemoved)
            """, [Parameter(store), Parameter(revision), values])
    }

    /// Returns an SQL condition that is true for the rows that are valid at a revision.
    static func isValid(_ alias: String, at revision: String = "$2::int8") -> String {
        "\(alias).added_revision <= \(revision) AND \(alias).removed_revision > \(revision)"
    }

    static let begin = Statement("BEGIN ISOLATION LEVEL READ COMMITTED")
    static let commit = Statement("COMMIT")
    static let rollback = Statement("ROLLBACK")

    /// Records a commit, so a commit whose response was lost is recognized.
    static func recordCommit(store: UUID, revision: Int64, batch: UUID) -> Statement {
        Statement(
            "INSERT INTO roost.commits (store, revision, batch) VALUES ($1::uuid, $2::int8, $3::uuid)",
            [Parameter(store), Parameter(revision), Parameter(batch)])
    }

    static func findCommit(store: UUID, batch: UUID) -> Statement {
        Statement(
            "SELECT revision FROM roost.commits WHERE store = $1::uuid AND batch = $2::uuid",
            [Parameter(store), Parameter(batch)])
    }

    static func batch(of revision: Revision, store: UUID) -> Statement {
        Statement(
            "SELECT batch FROM roost.commits WHERE store = $1::uuid AND revision = $2::int8",
            [Parameter(store), Parameter(Int64(revision.rawValue))])
    }

    static let analysis = Statement(
        "ANALYZE " + (Table.versioned + [.removals]).map { "roost.\($0.name)" }.joined(separator: ", "),
        isKept: false)

    // MARK: Compaction

    /// Returns the latest revision that was committed longer ago than a number of seconds; NULL if there is
    /// none.
    static func revision(store: UUID, olderThan seconds: Double) -> Statement {
        Statement(
            """
            SELECT max(revision) FROM roost.commits
            WHERE store = $1::uuid AND committed < now() - $2::float8 * interval '1 second'
            """, [Parameter(store), Parameter(seconds)])
    }

    /// Deletes the rows that no readable snapshot contains.
    static func deleteVersions(_ table: Table, store: UUID, upTo revision: Int64) -> Statement {
        Statement(
            "DELETE FROM roost.\(table.name) WHERE store = $1::uuid AND removed_revision <= $2::int8",
            [Parameter(store), Parameter(revision)])
    }

    /// Deletes the records of commits up to a revision, except recent ones.
    static func deleteCommits(store: UUID, upTo revision: Int64, olderThan seconds: Double) -> Statement {
        Statement(
            """
            DELETE FROM roost.commits WHERE store = $1::uuid AND revision < $2::int8
                AND committed < now() - $3::float8 * interval '1 second'
            """, [Parameter(store), Parameter(revision), Parameter(seconds)])
    }

    /// Returns the revision of the latest removal before a date; NULL if there is none.
    static func lastRemoval(store: UUID, before date: Date) -> Statement {
        Statement(
            "SELECT max(revision) FROM roost.removals WHERE store = $1::uuid AND removed < $2::int8",
            [Parameter(store), Parameter(date.milliseconds)])
    }

    static func deleteRemovals(store: UUID, upTo revision: Int64) -> Statement {
        Statement(
            "DELETE FROM roost.removals WHERE store = $1::uuid AND revision <= $2::int8",
            [Parameter(store), Parameter(revision)])
    }
}
