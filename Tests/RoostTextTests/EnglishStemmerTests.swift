import Testing

@testable import RoostText

@Suite struct EnglishStemmerTests {
    /// Words for every rule with their stems, computed with the reference implementation of Snowball 2.2.
    private let stems = """
        a a, abilities abil, abnormality abnorm, accesses access, across across, active activ,
        activeness activ, adaptation adapt, additional addit, adhesiveness adhes, agreed agre,
        anabolism anabol, analogously analog, andes andes, announcement announc,
        anxiousness anxious, appreciably appreci, arguably arguabl, arithmetical arithmet,
        arsenal arsenal, as as, atlas atlas, attachment attach, autoimmunity autoimmun,
        basally basal, bed bed, bias bias, biological biolog, biologically biolog, bled bled,
        bleed bleed, boyish boyish, browsability browsabl, buried buri, by by, canning canning,
        captivity captiv, cardiomegaly cardiomegali, cautious cautious, circumstance circumst,
        cogent cogent, cohesiveness cohes, colocalize coloc, colonocyte colonocyt,
        committedly commit, commonness common, commune commune, communism communism,
        complement complement, complexities complex, compliance complianc, consciously conscious,
        conservancy conserv, consistently consist, constraining constrain, coordinate coordin,
        coregulator coregul, cosmos cosmos, creative creativ, creativity creativ, cries cri,
        cry cri, decidedly decid, deformations deform, delaying delay, deregulating deregul,
        dermatology dermatolog, destabilizer destabil, diffusible diffus, dimerizer dimer,
        disassembly disassembl, discoveries discoveri, dismember dismemb, dissociative dissoci,
        distinctly distinct, drowsiness drowsi, dsrnas dsrnas, duplicate duplic, dying die,
        early earli, earring earring, efficiently effici, elasticity elast, elevator elev,
        embolization embol, employment employ, emptive emptiv, encompass encompass,
        endlessly endless, endorsement endors, enjoy enjoy, enriched enrich, eradicate erad,
        estimable estim, exceed exceed, excision excis, fabrication fabric, facilitator facilit,
        failing fail, falling fall, feasible feasibl, fibroblastic fibroblast, filament filament,
        filing file, fitnesses fit, fixation fixat, flavorful flavor, flows flow, flying fli,
        fmrib's fmrib, focus focus, foreseeable forese, formated format, frequency frequenc,
        fully fulli, fulness ful, general general, generalism general, generate generat,
        generous generous, genomically genom, gently gentl, glycemic glycem, gynaecology gynaecolog,
        helpfulness help, herrings herring, heterologous heterolog, hexagonal hexagon, hissing hiss,
        hopefully hope, hopelessly hopeless, hoping hope, hopping hop, howe howe,
        hypochlorous hypochlor, hypogonadism hypogonad, idly idl, ignorant ignor,
        imperialism imperi, implant implant, implied impli, improvement improv, inability inabl,
        incredible incred, incredibly incred, incurably incur, ineligible inelig, infancy infanc,
        infraprimate infraprim, innings inning, inspection inspect, instability instabl,
        intention intent, internalize intern, intranasal intranas, intricate intric,
        intriguingly intrigu, invasiveness invas, irrational irrat, irritability irrit,
        irrotational irrot, is is, it'd it'd, judicious judici, kussner kussner, lighthill lighthil,
        locus locus, lundehunds lundehund, luxuriate luxuri, lying lie, manipulative manipul,
        mappable mappabl, maternity matern, metabolizer metabol, metascience metasci,
        metastasize metastas, mindfulness mind, misses miss, mobilize mobil, mortality mortal,
        multiplied multipli, mutability mutabl, mutational mutat, narrower narrow,
        needlessly needless, news news, nitrative nitrat, nonclassical nonclass, nonnegative nonneg,
        nonscience nonscienc, nonselective nonselect, noticeably notic, occupancy occup,
        occupational occup, offence offenc, only onli, optimize optim, organism organ,
        organization organ, originally origin, osmolality osmol, ototoxicity ototox, outfall outfal,
        outing outing, overstated overst, parous parous, patency patenc, pathobiology pathobiolog,
        penetrance penetr, perfusion perfus, periodicity period, personalize person,
        phosphorus phosphorus, plurality plural, powerful power, powerfully power,
        precociously precoci, predicate predic, presumably presum, priapism priapism,
        proceed proceed, proceeds proceed, procoagulant procoagul, proliferator prolifer,
        propensities propens, proportional proport, puzzlement puzzlement, quiescent quiescent,
        radially radial, rational ration, readiness readi, realism realism, recurrently recurr,
        redundancy redund, reflective reflect, reflectivity reflect, reformulate reformul,
        regrettably regrett, reinventory reinventori, reminiscent reminisc, reperfusion reperfus,
        reportedly report, reseal reseal, rigorously rigor, saltatory saltatori, sanitizer sanit,
        say say, semipurified semipurifi, sensibility sensibl, sensitize sensit, sentence sentenc,
        septation septat, serially serial, service's servic, she's she, shell shell, singly singl,
        situational situat, sizeably sizeabl, skies sky, skis ski, sky sky, soical soical,
        somatization somat, specialism special, speciality special, sphericity spheric,
        steerable steerabl, stress stress, strictly strict, stringency stringenc,
        subclasses subclass, subdividing subdivid, subjectivity subject, succeed succeed,
        succeeded succeed, sufficiency suffici, symmetrical symmetr, tabulate tabul,
        tendencies tendenc, thrill thrill, tied tie, ties tie, togetherness togeth, tolerance toler,
        tolerization toler, tougher tougher, transitive transit, transplant transplant, tying tie,
        ugly ugli, uncinate uncin, unerringly uner, unexpectedly unexpect, unitermic uniterm,
        unknowingly unknow, unsuccessful unsuccess, usefully use, vaccinology vaccinolog,
        vanishingly vanish, vement vement, verification verif, version version, vibration vibrat,
        visualize visual, wakefulness wake, wellness well, woman's woman, wonderful wonder,
        worried worri, youth youth, zoophagic zoophag
        """

    @Test func `stems match those of Snowball`() {
        let pairs = stems.split { $0 == "," || $0.isNewline }.map { $0.split(separator: " ") }
        #expect(pairs.count > 200)
        for pair in pairs {
            let stem = EnglishStemmer.stem(Array(pair[0].utf8))
            #expect(String(decoding: stem, as: UTF8.self) == pair[1], "of \(pair[0])")
        }
    }

    @Test func `a word that is not English is returned unchanged`() {
        for word in ["", "a", "ab", "x264s", "na\u{EF}ves", "\u{43A}\u{43B}\u{44E}\u{447}", "3's"] {
            #expect(EnglishStemmer.stem(Array(word.utf8)) == Array(word.utf8))
        }
    }
}
