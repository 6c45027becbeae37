/// The function words of languages other than English, separated by spaces: articles, pronouns, prepositions,
/// conjunctions, auxiliary verbs, and adverbs and verbs that occur with any subject.
enum StopWordLists {
    static let german = """
        der die das und ist nicht ein eine einer eines einem einen zu den dem des mit sich auf für von im \
        auch es an werden aus er hat dass daß sie nach wird bei um sind noch wie über so zum zur war haben \
        nur oder aber vor bis mehr durch man sein wurde sei kann gegen vom können schon wenn habe seine \
        ihre dann unter wir soll ich wurden als diese dieser dieses doch ihr uns da hier wo was kein keine \
        sehr in ihren seiner seinen ihrer muss müssen etwas beim dabei damit dort jetzt immer wieder ab ins \
        mich mir dich dir du euch wer wann warum welche welcher welches mein meine meinen dein deine ohne \
        alle allem aller alles also andere anderen anderer anderes anders außer beide beiden beispielsweise \
        bereits bevor bist bzw dadurch dafür dagegen daher danach daran darauf daraus darin darum darüber \
        davon dazu denen denn deren deshalb dessen diesem diesen eben ebenfalls ebenso einige einigen \
        einmal entweder erst erste ersten etwa ganz ganze ganzen gegenüber gehen geht gemacht genau genug \
        gerade gibt gleich hast hatte heißt hätte ihm ihn ihnen ihrem ihres indem innerhalb ja je jede \
        jedem jeden jeder jedes jedoch jemand jene jeweils kannst keinen keiner kommen kommt konnte könnte \
        könnten lassen lässt machen macht manche manchmal mehrere mehreren meisten mittels muß möchte \
        nachdem nein nichts nie niemals niemand nun obwohl oft sagen sagt schließlich seinem seines seit \
        selber selbst sobald sogar solange solche solchen sollen sollte sollten sondern sonst sowie sowohl \
        statt unser unsere unserer usw viel viele vielen vielleicht wegen weil weiter weitere weiteren \
        weiterhin wenig weniger wenigstens wirklich wobei wodurch wohl wollen wollte worden während wäre \
        wären würde würden zuerst zuletzt zurück zusammen zwar zwei zwischen
        """
    static let french = """
        le la les un une des du de et est en que qui dans pour pas sur au aux avec ce cette ces son sa ses \
        se ne il elle ils elles on nous vous je tu mais ou où par plus sont était être été avoir ont fait \
        comme tout tous leur leurs si même aussi bien peut sans entre après avant cela ça y donc très deux \
        quand alors lui mon ma mes votre notre chez encore sous ainsi faire c'est d'un d'une qu'il n'est \
        l'on a ai as es suis sommes êtes comment pourquoi quel quelle quels quelles puis toujours jamais \
        dont afin ailleurs aucun aucune auquel autre autres avait avez beaucoup ceci celle celles celui \
        cependant certaines certains ceux chacun chacune chaque ci contre d'abord d'autres depuis devrait \
        dire dit doit doivent durant dès déjà enfin ensuite eux faut fois grâce ici l'autre l'un l'une \
        laquelle lequel lesquels lors lorsque là maintenant mieux moins n'a n'y notamment néanmoins parce \
        parfois parmi peu peuvent plupart plusieurs plutôt pourrait pouvez puisque qu'elle qu'elles qu'en \
        qu'ils qu'on qu'un qu'une quelque quelques quoi rien s'est s'il s'ils selon serait seront seul \
        seule seulement sinon soient soit souvent surtout telle telles tels toute toutefois toutes trop va \
        vers veut via voici vos vraiment à étaient étant
        """
    static let spanish = """
        el la los las un una unos unas de del y en que es por con para se no su sus al lo como más pero le \
        les ha han fue son era ser está están hay muy ya o si sobre también entre cuando todo todos esta \
        este estos estas ese esa eso sin hasta desde porque donde qué quien yo tú él ella ellos nos mi tu \
        me te puede pueden ni así cada otro otra otros antes después dos tiene tienen había sólo solo cómo \
        cuándo dónde cuál actualmente adelante además ahora algo alguien alguna algunas algunos algún ambos \
        aquellas aquellos aquí aunque aún bajo bastante bien casi contra cual cualquier cualquiera cuanto \
        cuyo debe deben debería debido decir demás dentro dice dicha dicho durante ello entonces estar esto \
        excepto fuera haber hace hacen hacer hacia haya hecho igual incluso jamás luego mientras misma \
        mismo mismos muchas mucho muchos nada nadie ninguna ninguno ningún nosotros nuestra nuestro nunca \
        poco pocos podemos poder podrá podría pues quiere quiero según será serán sería sido siempre siendo \
        sino sola solamente somos suele sí tal tanto tendrá tener tengo toda todas todavía tras través tus \
        uno va varias varios veces vez
        """
    static let italian = """
        il lo la i gli le un uno una di del dello della dei degli delle e è in che non per con si da dal \
        dalla dai al allo alla ai alle nel nella nei nelle sul sulla sono era essere stato ha hanno come ma \
        più anche se su questo questa questi queste quello quella suo sua suoi loro lui lei noi voi io tu \
        mi ti ci o dove quando perché molto tutto tutti fra tra dopo prima ancora già solo così può due fa \
        abbiamo adesso agli alcun alcuna alcune alcuni allora altra altre altri altrimenti altro appena \
        attraverso avere avete aveva avevano basta bene bisogna c'era c'è chiunque ciò contro cos'è cosa \
        cose cosi cui dagli dalle davvero deve devi devo devono dice dietro dire dovrebbe dunque durante \
        ecco egli erano ero esattamente esse essi esso facendo faceva fanno fatto fino forse fosse fossero \
        hai ho infatti infine inoltre insieme intorno invece l'altra l'altro li mai meglio meno mentre mie \
        miei mio molte molti ne neanche negli nello nemmeno neppure nessun nessuna nessuno niente nostra \
        nostri nostro nulla ogni ognuno oltre oppure ora ormai perche perciò piu piuttosto po poche pochi \
        poco poi poiché possiamo posso possono potere potrebbe probabilmente proprio puo qual qualche \
        qualcosa qualcuno quale quali qualsiasi qualunque quante quanti quanto quei quel quelle quelli qui \
        quindi saranno sarebbe sarà sembra sempre senza sia siamo siano siete sola solamente soltanto sopra \
        soprattutto sotto specialmente spesso sta stai stanno stare stati stessa stesse stessi stesso sto \
        subito sugli sui sulle sullo tali tante tanti tanto te tramite tranne troppo tua tuo tuoi tutta \
        tuttavia tutte un'altra va vado vai vanno vengono vero verso vi viene voglio volta volte vostra \
        vostro vuoi vuol vuole
        """
    static let portuguese = """
        o a os as um uma uns umas de do da dos das e é em no na nos nas que não por para com se ao aos à às \
        como mais mas foi são ser está estão tem têm seu sua seus suas ele ela eles elas eu você nós isso \
        isto este esta esse essa já ou também muito até entre quando sem sobre depois pelo pela mesmo só \
        acima agora ainda algo algum alguma algumas alguns alguém além ambos antes apenas após aquelas \
        aquele aqueles aqui aquilo assim através bem cada cima contra contudo cujo dela delas dele deles \
        dentro desde dessa dessas desse desses desta deste destes deve devem deveria disse disso diz dizer \
        dois duas durante dá embora encontra enquanto então eram essas esses estamos estar estas estava \
        estes estou exceto faz fazem fazer feito ficar for fora foram fosse hoje há ir irá lhe lo lá \
        maioria menos mesma mesmos meu mim minha muita muitas muitos nada nele nem nenhum nenhuma nesse \
        nesta neste ninguém nossa nossas nosso nossos numa nunca onde outra outras outro outros pelas pelos \
        perto pode podem podemos poder poderia pois porque portanto porém possa possam pouco poucos pra \
        própria próprio próprios quais quaisquer qual qualquer quanto quase quem quer querem quero seja \
        sejam sempre sendo seria será serão si sido sob somente sou tais tal talvez tanto temos tenha tenho \
        ter terá tinha toda todas todos tudo tão vai vem vez vezes várias vários vão
        """
    static let dutch = """
        de het een en van in is dat op te zijn met voor niet aan er om ook als dan maar bij uit nog naar \
        heeft hebben had was wordt worden werd door over ze zij hij wij je jij ik u dit deze die wat wie \
        waar hoe zo of tot geen meer kan kunnen zou moet moeten al onder mijn hun hem haar ons onze veel na \
        achter af alle alleen allemaal alles altijd ander andere anderen anders beide bijna bijvoorbeeld \
        binnen boven daar daarom daarvan dankzij dezelfde doen doet dus echt echter eens eerder eerst \
        eerste elkaar elke enige enkel enkele enz even gaan gaat gedaan geeft geven hebt hele hetzelfde \
        hier hiervoor hoewel ieder iedere iedereen iets inderdaad indien jouw komen komt kon kunt laat \
        laatste laten maak maakt maken meest meestal minder misschien mogelijk mogen niets noch nodig nooit \
        nu omdat opnieuw reeds samen sinds slechts sommige soms staan staat steeds tegen tenzij terug \
        terwijl tijdens tussen uw vaak vanaf vanuit vanwege vele verder volgens vooraf vooral voordat \
        waarin waarom waarop waarvan waarvoor wanneer want waren weer weet wel welk welke werden wiens wil \
        willen zal zeer zelf zelfs zich zichzelf zoals zodat zodra zonder zouden zowel zullen één
        """
    static let swedish = """
        och att det som en på är av för med den till inte har de ett om var jag men från vi så kan när hade \
        eller man sig över hon han nu bara vid efter skulle alla sin ut mot under också då där här blir \
        blev vad hur mycket utan mellan varje något några samt aldrig allt alltid andra annat antingen \
        beror bli blivit borde bort båda både bör denna deras dess dessa detta din dina ditt du därför \
        därmed eftersom egen egna ej endast ens er exempelvis finns fler flera flesta fram få får följande \
        första genom ger gjort gå går gör göra ha hela helt hos ibland icke igen in inga ingen inget innan \
        inom istället kallas kanske kom komma kommer krävs kunde kunna lika låta låter medan mer mera mest \
        mindre minst många måste nog normalt någon någonting ofta olika oss redan respektive runt samma \
        samtidigt samtliga se sedan senare sina sitt själv själva ska skall stället säga sätt sådan sådana \
        sådant ta tidigare tillbaka trots två upp utanför utöver vanligen vanligt vara varandra varför \
        varit verkligen vidare vilka vilken vilket vill väl vårt än ännu även åt
        """
    static let danish = """
        og i at er det en til på af for med som den de der ikke et har fra jeg blev være havde hvor når \
        skal vil også efter ved hun han sig dem eller meget noget kan men var vi du sin over mod nu bare \
        hvad hvordan mellem hver nogle uden kun blive mange aldrig alle allerede alt altid anden andet \
        andre begge blevet bliver både bør da denne deres derfor dette din disse dit egen ej ellers enhver \
        ens enten flere fleste forskellige frem få får før først første gå gør gøre hele hvem hvert hvilke \
        hvilket hvis idet igen ind indtil ingen intet kom komme kunne mens mindre mindst må måske nogen nær \
        om omkring samme sammen samt se selv selvom siden sidste slet stadig så sådan tilbage ud under \
        undtagen videre
        """
    static let norwegian = """
        og i at er det en til på av for med som den de ikke et har fra jeg ble være hadde hvor når skal vil \
        også etter ved hun han seg dem eller mye noe kan men var vi du sin over mot nå bare hva hvordan \
        mellom hver noen uten kun bli mange aldri alle allerede alt andre annen annet begge blant blir \
        blitt burde både bør da denne der deres deretter derfor dermed dersom dette din disse ditt egen \
        eget egne ellers enda eneste enhver enkelte enn enten ett ettersom fikk finnes flere fleste fordi \
        fortsatt frem få får fått før først første gir gjennom gjort gjør gjøre gjøres gå går gått hele \
        heller helst helt hos hvem hverandre hvert hvilke hvilken hvilket hvis hvorfor igjen ingen \
        ingenting innen kanskje kom komme kommer kunne lik like likevel litt meget mens mer mest mindre \
        minst må måtte nesten nok nær ofte om opp oss samme sammen samt samtidig se selv si siden sier sine \
        sist siste sitt skulle slik slike så tilbake tross ulike under ut utenfor vel veldig videre ville \
        vår våre vårt vært å
        """
    static let finnish = """
        ja on ei se että oli hän ovat mutta kun niin kuin myös jos joka sen ne hänen tai olla olen ole vain \
        sitä jotka nyt mitä tämä tämän ennen siitä sekä vielä mikä miten missä minä sinä me te he koska \
        hyvin paljon kanssa jälkeen voi ollut tässä siinä aina eikä eivät ellei enemmän enää eri ilman itse \
        jo johon joiden joilla joissa joista joita jokainen joko joku jolla jolloin jonka jonkin joskus \
        jossa jota jotain jotta juuri kaikki kaikkien kaikkiin kautta koko koskaan kuinka kuitenkaan \
        kuitenkin kunnes kuten lisäksi luo läpi mihin milloin minkä mitään monta muita mukaan muu muut \
        muuta myöskin niiden niille niistä niitä näistä näitä nämä oikein olet olevan olisi pois saa sama \
        siihen siis silloin sillä sinua sinulla sinun sinut sitten taas tahansa takaisin tavallisesti \
        toinen toisen tähän tällä tästä tätä täällä vaan vaikka varten vastaan voida voisi voivat välillä \
        yhtä yleensä yli
        """
    static let hungarian = """
        a az és hogy nem is egy van volt meg csak de már ha mint ez azt ki el még mert vagy ezt én te ő mi \
        ti ők minden nagyon lesz volna kell lehet után között úgy így itt ott amely aki ami mikor hol \
        hogyan miért mely pedig majd addig ahhoz ahogy ahol akinek akkor alatt amelyek amelyeket amelyet \
        amikor amíg annak arra azok azokat azonban azzal azért be belül benne bármilyen egyes egyetlen \
        egyik egyszer egyszerűen egyéb együtt egész ehhez ekkor első elé elég elő először előtt ennek erre \
        ezek ezeket ezen ezzel ezért hanem helyett illetve ilyen jelenleg jobb jól jön keresztül kívül \
        közben közötti közül le legalább legyen lenne lesznek lett lásd mellett miatt mindegyik mindig \
        mindkét mintha mivel most más másik míg ne neki nincs nincsenek néha néhány nélkül például saját \
        sem soha sok sokkal során szerint számára teljes tovább több többi többször túl utolsó valami \
        valamint való vannak vissza végre által általában össze újabb újra őket
        """
    static let romanian = """
        și în de la cu pe nu că un o să este din mai care pentru au a fost ce se sunt dar prin sau fi ca ei \
        el ea lui lor după până acest această acesta când unde cum foarte toate între fără cele cel cea am \
        avea despre aceasta aceste acestui ale alte ar are atunci atât chiar cât câte către dacă decât deja \
        dintre două fie fiecare mult multe nici nouă numai oricare orice peste poate pot prima puțin sine \
        trebuie una unei unui va vor vă îl împotriva înainte
        """
    static let catalan = """
        el la els les un una uns unes de del dels i en que és per amb no es al als ha han va van són com \
        més però seu seva també quan sobre entre fins hi ho això aquest aquesta aquests molt tot tots o si \
        sense després on ser estat pot abans així algun alguna algunes alguns allà almenys altra altre \
        altres ambdós aquell aquelles aquells aquestes aquí ara aviat bastant bé cada cadascun cadascuna \
        contra d'algun d'altres d'aquest d'aquesta d'aquests d'un d'una darrere des dins doncs dues durant \
        elles ells encara endavant ens eren estan estar estava estem està fer fet fora gaire gairebé hem \
        haver havia ja l'altre l'hora li llarg llavors lloc lo mai malgrat mateix mateixa mateixes mateixos \
        mentre menys molta moltes molts n'hi només nos nosaltres nostra nostre nostres obstant pas pel pels \
        perquè poc pocs poden poder podeu podria potser propi pròpia qual quals qualsevol qui quin quina \
        quines quins què s'ha s'han s'hi se segons sempre seria serà seus seves sigui sinó sobretot sota \
        sovint tal tampoc tant tenen tenim tenir tota totes tothom tret té us vam vegada vegades vos \
        vosaltres vostra vostre vostres
        """
    static let basque = """
        eta da ez bat du dira zen izan duen ere baina hau hori hura dute zuen egin beste bere den edo baino \
        oso gure nola non noiz zer nor behar dela dituzte gero arte
        """
    static let indonesian = """
        yang dan di ke dari untuk dengan pada ini itu adalah tidak dalam akan juga atau oleh karena sebagai \
        ada bisa dapat saya kami kita mereka dia anda sudah telah lebih saat seperti jika agar tetapi namun \
        bagaimana apa para sangat hanya setelah agak antara apakah atas bagi bagian bahkan bahwa baik \
        banyak baru bawah beberapa begitu belum benar berbagai biasanya boleh buat bukan cukup daripada \
        demikian dengannya diri dirinya dua hampir harus hingga ialah ingin inilah itulah jadi jangan \
        jarang kadang kapan kecuali kemudian kepada keseluruhan ketika khususnya kini lagi lain lainnya \
        lalu maka masih masing maupun melalui memang mengapa menjadi menurut merupakan meskipun misalnya \
        mungkin nanti paling perlu pernah pertama pula punya sama sambil sampai satu sebabnya sebagian \
        sebaliknya sebanyak sebelum sebelumnya sebenarnya sebuah secara sedang sedangkan sedikit segala \
        segera sehingga sejak sejauh sejumlah sekadar sekali sekaligus sekarang sekitar selain selalu \
        selama selanjutnya seluruh semakin sementara semua semuanya sendiri seolah seorang sering serta \
        seseorang sesuatu seterusnya setiap siapa sini suatu tak tanpa tapi tentang tentu terhadap terlalu \
        terlebih termasuk tersebut tertentu terus tetap umumnya walaupun yaitu
        """
    static let irish = """
        agus an na ar is i go le do a ag ní bhí tá sé sí siad mar ach nó leis gur ó faoi seo sin nach \
        bhfuil chun idir cad conas raibh aon gach roimh tar éis
        """
    static let lithuanian = """
        ir yra į iš su kad ne tai kaip bet ar buvo jis ji jie jos jo po už prie nuo dėl per tik dar jau \
        labai kai kur kas šis ši šie arba taip pat savo būti gali mano kiek
        """
    static let turkish = """
        ve bir bu da de için ile o ne gibi daha çok en ama olarak olan var yok mi mı kadar sonra ben sen \
        biz siz onlar her şey ki değil ya veya göre önce oldu olduğu nasıl nerede ait altında ancak \
        arasında artık asla aslında aynı ayrıca az bazen bazı bazıları başka beri biri birkaç birlikte \
        birçok bulunan buna bundan bunlar bunları bunların bunu bunun burada böyle böylece bütün dahil \
        değildir diye diğer dolayı dolayısıyla doğru eden eder edilen edilir edilmesi etmek eğer fakat \
        fazla gelen genellikle gerek gereken gerekir geri gerçekten hakkında hala hangi hatta hem henüz \
        hepsi herhangi hiç hiçbir hiçbiri ilgili ise itibaren içinde karşı kaç kendi kendisi kez neden \
        nedenle olabilir olacak olacaktır oldukça olmadığı olmak olması olmayan olmaz olsa olsun olup olur \
        olursa onları onu onun pek rağmen sadece sürece tam tarafından tüm vardır yani yapan yapmak yapılan \
        yerine yine yoksa yukarıda zaten çoğu çoğunlukla çünkü üzere üzerinde üzerine şayet şekilde şu \
        şöyle
        """
    static let polish = """
        i w na z się nie do to że jest jak o co a po za od ale tak dla ten ta te był była było są być przez \
        czy już tylko może jego jej ich oraz ze który która które tego tym przed przy też lub gdy gdzie aby \
        albo ani aż bardziej bardzo bez by bądź będzie będziesz będą będę całe cały ci ciebie cię coś \
        czasami czasem czego czemu czyli często dlaczego dlatego dobrze dość dużo dwa dwie dwóch dzięki \
        dziś gdyby gdyż go ile inne innego inny innych jaka jakby jaki jakie jakieś jakim jakiś jako jakoś \
        je jeden jedna jednak jednakże jedno jestem jesteś jesteśmy jeszcze jeśli jeżeli ją każda każde \
        każdego każdy kiedy kilka kto ktoś którego której których którym którzy którą lecz ma mają mam mamy \
        masz mi mimo między mnie mną mogą mogę moim moja moje możliwe można mu musi musisz mógł mój mówi \
        nad najbardziej najpierw nas natomiast natychmiast nawet nic nich niech niego niej nigdy nikt nim \
        nimi nią niż obok on ona one oni ono oprócz oto podczas podobnie ponieważ poniżej poprzez potem \
        powinien powinna powinno poza prawie przecież przypadku raz razem również sama samego samo siebie \
        skąd sobie sobą sposób swoje swojego swojej swoją swój taka taki takich takie takim taką także tam \
        tej teraz tobie tobą trzeba tu tutaj twoja twoje twój ty tych tymi tą tę wam was według wewnątrz \
        wiele wielu więc więcej wszyscy wszystkich wszystkie wszystkim wszystko wtedy wy właśnie zamiast \
        zanim zatem zawsze zaś znowu znów zwykle żaden żadnych żeby
        """
    static let czech = """
        a v na se je že s z do to si jak ale o i pro po za by jsem jsou byl byla bylo být od tak nebo ve ze \
        který která které také jen už při když kde co než jeho její jejich bez mezi není aby abychom abyste \
        ani asi ať až bude budete budou bych bychom byli byly byste během celé celý chce chcete což další \
        dobře dokonce dokud dost dva dvě dál dále hned ho jakmile jako jaké jde jeden jediný jedna jedno \
        jednou jedné jej jejichž jenom jenž jestli jestliže ještě jež ji jich jinak jiné jiného jiný jiných \
        jsi jsme jste já jí kam každá každé každého každém každý kdo kdyby kdybych ke kolem kolik kromě \
        kterou kterých kterým kteří li mají mi mimo mnoho mohl mohla mohli mohou možná mu musí my má málo \
        mám máme máte méně mít mě může můžeme můžete nad naše ne nebude nebyl nebylo nejsou nemají nemá \
        nemůže nic nich nikdo nikdy nimi nyní nám nás ním něco něho něj nějaké nějaký někdo někdy některé \
        on podle pokud potom pouze pořád prostě proti protože proč první právě před přes přitom příliš \
        přímo sama samozřejmě sebe sebou sem sice skoro sobě spolu spíše stejně stále svou své svého svém \
        svých svým svůj sám tady taková takové takový taky takže tato tedy tehdy tento teď ti toho tohoto \
        tomto tomu toto tu tuto ty tyto této tím tě těch třeba vaše velice velmi vlastně vy vám vás váš \
        více větší však vše všech všechna všechno všechny všem všichni vůbec vždy vždycky zase zatímco \
        zcela zda zde znovu čím žádná žádné žádný
        """
}

/// The function words of languages that are not written in the Latin alphabet, or not only in it.
extension StopWordLists {
    static let russian = """
        и в не на я что с он а это как по к но его из у за мы она они ты вы так же от бы для о был была \
        было были все есть до если или ли когда только уже еще ещё при то этот эта эти чтобы где кто нет их \
        ее её мне меня со во под без может быть чем более больше будет будто будут бывает вам вас ведь весь \
        вместо вот всегда всего всем всех всю вся всё да даже два две двух должен должна должно должны \
        другие другим других другого другой другом ей ему ж здесь им имеет именно иначе иногда каждая \
        каждого каждой каждый какая какие какой кем кого кому конечно которая которого которое которой \
        котором которому которую которые который которым которых кроме куда лишь лучше мало между менее \
        много могут можете можно мой над надо наиболее наконец нам например нас наши наших него нее ней \
        нельзя нем несколько неё никогда никто ним ними них ничего ничто ну нужно об обычно один одна \
        однако одни одним одно одного одной оно особенно очень перед пока после потом потому почему почти \
        поэтому просто против раз ранее сам сама самая сами самого самое самой самом самый свое своего \
        своей свои своим своих свой свою себе себя сегодня сказал слишком сначала собой совсем согласно \
        сразу среди стал та такая также такие таким таких такого такое такой там те тебе тебя тем теперь \
        тех тогда того тоже той том тому тот уж хоть хотя хочет хочешь часто чаще чего через чтоб этим этих \
        этого этой этом этому эту
        """
    static let ukrainian = """
        і в не на я що з він а це як по до але його із у за ми вона вони ти ви так же від би для про був \
        була було були все є якщо чи або коли тільки вже ще при то цей ця ці щоб де хто немає їх її мені та \
        під аж без буде будуть будь бути більше вам вами вас ваш взагалі воно всі всіх декілька десь доки \
        дуже ж завжди замість зараз звичайно звідки знову зі кожен кожне кожного крім лише мають має менше \
        може можна можуть між навіть над насправді наче неї ним ними них ні ніби ніж ній ніколи нічого \
        обидва один одна однак одне одного окрім особливо ось отже перед поза потрібно потім просто після \
        раз раніше сам сама саме самий свою себе серед спочатку така таке такий таких також такі там те тим \
        тими тих того тоді той тому треба тут усе усього усі усіх хоча цим цими цих цього цьому цю цій цієї \
        через чого щось яка яке який яким якими яких якого якою якої яку які якій іноді інше інший інших \
        інші їм
        """
    static let bulgarian = """
        и в не на аз че с той а това как по към но го от за ние тя те ти вие така да се е са беше бяха все \
        ако или кога само вече още при този тази тези където кой няма им ѝ ми под без може като ще до би \
        бил бъдат бъде ви винаги всеки всички всичко всяка всяко във ги дали докато друг други друго един \
        една едно защото из има какво както когато което които който колко която къде ли между много могат \
        му над най напред нас нашата нашето него нещо нея ни никога никой нито нищо нужно обаче освен пак \
        повече пред през против пък сам своето своя своята себе си след сме срещу съм със та такъв там теб \
        то тогава толкова трябва тъй тях често
        """
    static let serbian = """
        и у на је да се су за од са као не али или који која које то ово овај би био била било бити по из \
        до већ само када где шта како након између i u na je da se su za od sa kao ne ali ili koji koja \
        koje to ovo ovaj bi bio bila bilo biti po iz do već samo kada gde šta kako nakon između te više ако \
        без ваша ваше два других затим има испод исто их ка ли много могу може мора него неки нема ни \
        никада нису ништа није нпр обично ова овде ове онда осим под поново постоји пре према при сва свака \
        сваке сваки све сви свих тако такође тога том увек уместо чак што један једна једно једног једном \
        њих њихове ће
        """
    static let greek = """
        και το να η του την της με για που από στο δεν είναι στην τα των τη οι ένα μια ο τον σε θα στη στις \
        στα ως κατά αυτό αυτή αλλά ή όταν πως τι πολύ μας σας τους όπως μετά πριν χωρίς ήταν έχει αν έχουν \
        ίδια αντί αυτοί ενός επίσης κάθε κάνει κι μέσα μέχρι μαζί μη μπορεί μπορούν μόνο πάνω πρέπει προς \
        στον στους τις τότε υπάρχει όλα ότι ώστε
        """
    static let arabic = """
        في من على إلى عن أن إن هذا هذه التي الذي مع كان كانت لا ما لم لن هو هي هم نحن أنا أنت ذلك تلك كل قد \
        بعد قبل بين عند حتى إذا أو ثم كما كيف أين متى لكن غير فقط أي و آخر أبدا أثناء أحد أحيانا أخرى أصبح \
        أصبحت أعلى أقل أكثر ألا أم أما أنه أنها أنهم أول أية أيضا إحدى إذ إذن إلا إما الآخر الآن الأخرى \
        الأول الأولى الذين بأن بالرغم بالفعل بالنسبة بدون بسبب بشكل بعض بعضها بعيدا بل بلا بما به بها بهذا \
        بهذه بينما تحت تكون تم تمت جدا جميع جميعا حاليا حسب حوالي حول حيث حين خارج خلال دائما داخل دون ذات \
        سوف ضمن عادة عبر عدا عدة عدم عليك عليه عليها عما عندما عنه عنها غالبا فإن فقد فلا فهو فهي فوق فيما \
        فيه فيها كثير كثيرا كلا كلما كله كنت لأن لأنه لأنها لذلك لعل لقد لك لكل لكنه لكنها له لها لهذا لهم \
        لو ليس ليست مثل مثلا مجرد مرة معظم معه معها مما منذ منه منها مهما نحو نفس نفسه نفسها هؤلاء هل هنا \
        هناك وأن وإذا وبين وذلك وعلى وفي وقد وكانت وكل ولا ولكن ولم ولن ولو وليس وما ومع ومن وهذا وهذه وهو \
        وهي ويجب يتم يجب يكن يكون يمكن يمكنك يوجد
        """
    static let persian = """
        و در به از که این را با است برای آن یک خود تا بر هم نیز می های شود شد بود ما شما او آنها چه اما یا \
        اگر هر پس دو کرد کند دارد چون آمد آمده آنان آنجا آنچه آنکه آید اخیر اساس اش البته انجام اند اگرچه \
        ای اینجا اینکه بار باز باشد باشند باشید باشیم باید بدون برابر برخی بسیار بسیاری بعد بعدی بعضی بلکه \
        بنابراین بندی بودن بودند بوده بی بیش بیشتر بیشتری بین تاکنون تنها توان تواند توانند توسط جای جز جمع \
        حال حتی حدود خاص خواهد خواهند خودش خیلی داد دادن داده دارای دارند داریم داشت داشتن داشته درباره \
        درون دهد دهند دیگر دیگران دیگری روی زیاد زیر سایر سپس شاید شدن شدند شده شوند طور طی علاوه غیر فقط \
        قابل قبل قرار لازم ماند مانند مختلف مقابل ممکن من مورد مگر میان نباید نبود نحوه ندارد ندارند نسبت \
        نشده نظیر نمی نه نوعی نیست نیستند ها هایی هست هستند همان همه همچنین همین هنوز هنگام هنگامی هیچ وجود \
        وقتی ولی وی چرا چند چندین چنین چیز چیزی کاملا کدام کردن کردند کرده کسانی کسی کلی کم کنار کنم کنند \
        کنید کنیم گرفت گرفته گفته گوید گیرد یافت یافته یعنی یکی
        """
    static let hebrew = """
        של את על לא הוא היא הם זה זו זאת עם כי אם או גם כל אני אתה אנחנו יש אין היה היתה היו אבל רק מה מי \
        איך איפה מתי אחרי לפני בין עד כמו יותר מאוד אולי אותה אותו אותם אחד אחר אחת אך אל אלא אלה אלו אנו \
        אף אפילו אשר בגלל בה בו בזה בלי במקום האם הזאת הזה הייתה ואם והוא והיא ולא זהו יהיה יכול יכולה כאן \
        כאשר כבר כדי כך ככה כלומר כמה כן לה להיות להם לו לי לך לכן למה לנו מאד מול ממנה ממנו מן מפני משהו \
        מתחת נגד עבור עדיין עוד עכשיו עליה עליו פי צריך קצת רבים שהוא שהיא שהם שלא שלה שלהם שלו שלי שלך \
        שלנו שם תוך תחת תמיד
        """
    static let yiddish = """
        און די דער דאס דאָס איז אין פון פֿון מיט נישט ניט אויף איך ער זי מיר איר זיי אַ א האט האָט וואס \
        וואָס צו אויך ווי אבער אָבער
        """
    static let hindi = """
        है हैं का की के में से को और पर यह वह नहीं था थी थे एक भी ने तो ही कि इस उस जो कर हो रहा रही रहे \
        गया लिए साथ या मैं हम आप वे कैसे क्या कब कहाँ अगर अपना अपनी अपने अब अभी आदि इन इनके इसका इसकी इसके \
        इसमें इससे इसे उन उनका उनकी उनके उन्हें उन्होंने उसका उसकी उसके उसने उसे एवं ऐसा ऐसे कई कभी करके \
        करता करते करना करने करें कहा किया किसी कुछ केवल कोई कौन क्योंकि गई गए चाहिए जब जहाँ जा जाता जाती \
        जाते जाने जिस जिसके जिसमें जैसे तक तथा तब तरह दिया दी दो दोनों द्वारा पहले फिर बहुत बाद बिना बीच \
        मुझे मेरा मेरी मेरे यदि यहाँ ये लेकिन वहाँ वाला वाली वाले सकता सकती सकते सब सभी सिर्फ हर हुआ हुई \
        हुए हूँ होगा होता होती होते होना होने
        """
    static let nepali = """
        छ छन् हो र को का की मा ले लाई पनि यो त्यो थियो थिए हुन् भने गरेको गर्न एक तर तथा हामी उनी म नै बाट \
        सँग भएको
        """
    static let armenian = """
        եւ է են եմ եք ու ի մեջ որ այս այդ այն չի չէ էր էին համար հետ մի նա մենք նրանք բայց կամ ինչ ինչպես \
        երբ որտեղ նաեւ շատ իր իրենց
        """
    static let tamil = """
        ஒரு என்று மற்றும் இந்த அந்த இது அது என உள்ள ஆனால் அவர் நான் நாம் அவர்கள் என்ன எப்படி எங்கே இல்லை \
        மிகவும் பின்னர்
        """
    static let chinese = """
        的 了 是 在 和 有 我 不 人 这 這 他 她 它 也 就 都 而 及 与 與 或 但 被 把 从 從 到 对 對 于 於 以 为 為 上 中 下 个 個 们 們 你 会 會 要 能 可 说 說 \
        着 著 之 其 很 又 那 没 沒 我们 我們 你们 他们 他們 什么 什麼 怎么 怎麼 如何 这个 這個 那个 可以 因为 因為 所以 如果 一个 一個 没有 沒有
        """
    static let japanese = """
        の に は を た が で て と し れ さ も な へ か や ね よ から まで です ます ました した する して いる ある この その あの これ それ こと もの ため よう など \
        ない という とい いう では には とは での への との につ つい いて てい どう いつ なに まし せん ませ だっ った
        """
}
