import Foundation

/// The statements with which a commit reads the present rows of a store.
enum BatchSQL {
    private static func isPresent(_ alias: String) -> String {
        "\(alias).store = $1::uuid AND \(alias).removed_revision = \(Table.neverRemoved)"
    }

    static func entries(_ ids: [UUID], store: UUID) -> Statement {
        Statement(
            """
            SELECT \(EntryRows.headerColumns) FROM roost.entries e
            WHERE \(isPresent("e")) AND e.id = ANY($2::uuid[])
            """, [Parameter(store), Parameter(ids)])
    }

    static func sources(_ names: Set<UUID>, store: UUID) -> Statement {
        Statement(
            """
            SELECT \(SourceRows.columns) FROM roost.sources s
            WHERE \(isPresent("s")) AND s.name = ANY($2::uuid[])
            """, [Parameter(store), Parameter(names)])
    }

    static func clusters(store: UUID) -> Statement {
        Statement(
            """
            SELECT \(ClusterRows.columns) FROM roost.clusters c WHERE \(isPresent("c")) ORDER BY c.position
            """, [Parameter(store)])
    }

    /// - Parameter ids: The ids of the entries; `nil` for all.
    static func assignments(of ids: [UUID]?, store: UUID) -> Statement {
        let selection = """
            SELECT \(ClusterRows.assignmentColumns) FROM roost.assignments a WHERE \(isPresent("a"))
            """
        guard let ids else { return Statement(selection, [Parameter(store)]) }
        return Statement(
            selection + " AND a.entry = ANY($2::uuid[])", [Parameter(store), Parameter(Array(Set(ids)))])
    }
}
