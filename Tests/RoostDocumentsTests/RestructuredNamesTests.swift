import Foundation
import Testing

@testable import RoostDocuments

@Suite struct RestructuredNamesTests {
    @Test func `Labels and names of objects are not addresses`() async throws {
        let document = try await DocumentFixture.document(
            """
            See :ref:`the pump <garden-pump>`, :ref:`the well <a deep well>`, :py:func:`open <garden.open>`,
            :doc:`the barrel <barrel>` and `the shop <https://e.org/shop>`_.
            """, name: "a.rst")
        #expect(document.links.map(\.target) == ["barrel", "https://e.org/shop"])
        #expect(document.text.contains("See the pump, the well, open,"))
    }

    @Test func `Names of targets are links to their addresses`() async throws {
        let document = try await DocumentFixture.document(
            """
            See Barrel_, `the old pump`_, snake_case_, other_ and class_.
            A_barrel is `no name`_, and ``Barrel_`` is code.

            .. _Barrel: https://e.org/barrel
            .. _`The Old Pump`: https://e.org/pump?a=1
            .. _snake_case: c.rst
            .. _indirect: Barrel_
            .. _internal:
            """, name: "a.rst")
        let first = document.text.split(separator: "\n")[0]
        #expect(
            first
                == "See [Barrel](https://e.org/barrel), [the old pump](https://e.org/pump?a=1), [snake_case](c.rst), "
                + "other_ and class_.")
        #expect(document.text.contains("\nA_barrel is no name, and `Barrel_` is code.\n"))
        #expect(
            document.links.map(\.target) == ["https://e.org/barrel", "https://e.org/pump?a=1", "c.rst"])
    }

    @Test func `A link can state the name of a target`() async throws {
        let document = try await DocumentFixture.document(
            "See `the pump <Pump_>`_ and `a tap <Tap_>`_.\n\n.. _Pump: https://e.org/pump\n", name: "a.rst")
        #expect(document.links.map(\.target) == ["https://e.org/pump"])
        #expect(document.text.hasPrefix("See [the pump](https://e.org/pump) and a tap.\n"))
    }

    @Test func `Substitutions, descriptions of images, headers and tags are read`() async throws {
        let document = try await DocumentFixture.document(
            """
            :Tags: water, old pumps

            Version |release| of |the tool|, not |other|.

            | a | release |

            .. |release| replace:: 4.2
            .. |the tool| replace:: Barrel Maker

            .. image:: pump.png
               :alt: The old pump
               :width: 20

            .. csv-table:: Levels
               :header: "month", "litres"

               "May", 20
            """, name: "a.rst")
        #expect(document.tags == ["water", "old pumps"])
        #expect(document.text.contains("\nVersion 4.2 of Barrel Maker, not |other|.\n\n| a | release |\n"))
        #expect(document.text.contains("pump.png -->\nThe old pump\n<!-- :width: 20 -->"))
        #expect(document.text.contains("\nLevels\n\"month\", \"litres\"\n"))
    }

    @Test func `Repeated names take linear time and bounded memory`() {
        let text = String(repeating: "x", count: 2000)
        let lines =
            [".. |a| replace:: " + text, ".. _b: c"]
            + Array(repeating: String(repeating: "|a|b_", count: 5000), count: 40)
        let converted = RestructuredMarkup.converted(lines) {}
        #expect(converted.lines.reduce(0) { $0 + $1.utf8.count } < 8 << 20)
        #expect(converted.lines.count == 42)
    }
}
