/// The kinds of office documents and books.
extension FuzzKind {
    private static let xmlTokens = [
        "<a>", "</a>", "<a/>", "<!--", "-->", "<![CDATA[", "]]>", "<?a", "?>", "<!DOCTYPE a [",
        "<!ENTITY a 'b'>",
        "&a;", "&amp;", "&#0;", "&#x110000;", "&#10;", " a='b'", " xmlns='b'", " xmlns:a='b'", "<a:b>",
        " xml:space='preserve'",
    ]

    static let docx = FuzzKind(
        "docx", ["a.docx"],
        tokens: xmlTokens + [
            "<p>", "</p>", "<p><r><t>x</t></r></p>", "<r>", "</r>", "<t>", "</t>", "<tbl>", "</tbl>", "<tr>",
            "</tr>", "<tc>", "</tc>", "<tc><p><r><t>x</t></r></p></tc>",
            "<tcPr><gridSpan val='9999'/></tcPr>",
            "<br/>", "<tab/>", "<ins>", "<del>", "<sdt><sdtContent>", "</sdtContent></sdt>", "<txbxContent>",
            "</txbxContent>", "<AlternateContent><Choice>", "</Choice><Fallback>", "<hyperlink id='r5'>",
            "</hyperlink>", "<footnoteReference id='2'/>", "<commentReference id='0'/>", "<instrText>",
            "<pPr><numPr><ilvl val='8'/><numId val='1'/></numPr></pPr>",
            "<pPr><pStyle val='Heading1'/></pPr>",
            "<style styleId='a'><basedOn val='a'/></style>", "<pPr><outlineLvl val='99'/></pPr>",
        ])

    static let pptx = FuzzKind(
        "pptx", ["a.pptx"],
        tokens: xmlTokens + [
            "<sp>", "</sp>", "<p>", "</p>", "<p><r><t>x</t></r></p>", "<r><t>", "</t></r>", "<tbl>", "</tbl>",
            "<tr>", "</tr>", "<tc>", "</tc>", "<tc><p><r><t>x</t></r></p></tc>",
            "<nvPr><ph type='title'/></nvPr>",
            "<pPr lvl='9'/>", "<br/>", "<hlinkClick r:id='r1'/>", "<sldId id='1' r:id='r1'/>", "<cxnSp>",
            "<Fallback>",
            "<grpSp>", "</grpSp>",
        ])

    static let xlsx = FuzzKind(
        "xlsx", ["a.xlsx"],
        tokens: xmlTokens + [
            "<row>", "</row>", "<row r='1048576'>", "<c><v>1</v></c>", "<c r='XFD1048576'><v>1</v></c>",
            "<c r='ZZZZZZZZ1'><v>1</v></c>", "<c t='s'><v>1</v></c>", "<c t='s'><v>-1</v></c>", "<c s='9'>",
            "<c s='2'><v>1e300</v></c>", "<c s='2'><v>-999999999999</v></c>", "<c s='2'><v>nan</v></c>",
            "<v>", "</v>",
            "</c>", "<si><t>x</t></si>", "<xf numFmtId='200'/>",
            "<numFmt numFmtId='200' formatCode='[h]:mm'/>",
            "<sheet name='x' r:id='r1'/>", "<is><t>", "yyyy", "[h]", "&quot;",
        ])

    private static let openTokens =
        xmlTokens + [
            "<text:p>", "</text:p>", "<text:p>x</text:p>", "<text:h text:outline-level='99'>", "</text:h>",
            "<text:list>", "</text:list>", "<text:list-item>", "</text:list-item>",
            "<text:s text:c='99999999'/>",
            "<text:tab/>", "<text:line-break/>", "<text:note>", "</text:note>", "<text:note-body>",
            "<office:annotation>", "</office:annotation>", "<text:a xlink:href='a'>", "</text:a>",
            "<table:table>",
            "</table:table>", "<table:table-row>", "</table:table-row>", "<table:table-cell>",
            "</table:table-cell>", "<table:table-row table:number-rows-repeated='99999999'>",
            "<table:table-cell table:number-columns-repeated='99999999'>", "<table:covered-table-cell/>",
            "<draw:page>", "</draw:page>", "<draw:frame>", "</draw:frame>", "<draw:g>",
            "<presentation:notes>",
            "<text:tracked-changes>", "<text:span>",
        ]

    static let odt = FuzzKind(
        "odt", ["a.odt"],
        tokens: openTokens)

    static let ods = FuzzKind(
        "ods", ["a.ods"],
        tokens: openTokens)

    static let odp = FuzzKind(
        "odp", ["a.odp"],
        tokens: openTokens)

    static let epub = FuzzKind(
        "epub", ["a.epub"],
        tokens: xmlTokens + markupTokens + [
            "<item id='c' href='c1.xhtml'/>", "<itemref idref='c'/>", "<itemref idref='n'/>", "<navPoint>",
            "<rootfile full-path='E/a.opf'/>", "<dc:title>", "../", "%2e%2e/", "<nav>", "</nav>",
        ])
}
