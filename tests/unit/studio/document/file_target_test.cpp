#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/document/file_nodes.hpp"
#include "ui/document/file_target.hpp"

#include <QtTest/QtTest>

#include <algorithm>

namespace file_target_test {

using namespace lowtide;
using namespace lowtide::testing;
using namespace lowtide::ui;

namespace {

/// The node that is added for a kind of file, and its parameter.
struct Loader {
    const char* kind;
    const char* node;
    const char* param;
};

constexpr Loader kLoaders[] = {{"image", "load.image", "image"},
                               {"checkpoint", "load.checkpoint", "checkpoint"},
                               {"vae", "load.checkpoint", "vae"},
                               {"lora", "load.lora", "file"},
                               {"upscaler", "load.upscaler", "upscaler"},
                               {"controlnet", "load.controlnet", "controlnet"}};

Arrival arrivalOf(const graph::Catalog& catalog, const QString& kind) {
    const auto* loader = std::ranges::find_if(
        kLoaders, [&](const Loader& each) { return kind == QLatin1String(each.kind); });
    return {.value = "new.file",
            .fits =
                [loader](const NodeDesc& node, const ParamDesc& param) {
                    const bool isStacked =
                        node.id == "load.lora_stack" && param.id.starts_with("file_");
                    return (node.id == loader->node && param.id == loader->param) ||
                           (isStacked && std::string(loader->node) == "load.lora");
                },
            .newNode = catalog.find(loader->node),
            .newParam = loader->param};
}

/// "node", "node.param" of a row, or "> node.port" of the wire that ends there.
DropSpot spotAt(const QString& text) {
    DropSpot spot{.at = {3000, 3000}, .isAt = true};
    const bool isWire = text.startsWith("> ");
    const QStringList parts = text.mid(isWire ? 2 : 0).split('.', Qt::SkipEmptyParts);
    const std::string node = parts.value(0).toStdString();
    const std::string item = parts.value(1).toStdString();
    if (isWire) {
        spot.wireTo = graph::PortRef{node, item};
    } else {
        spot.node = node;
        spot.param = item;
    }
    return spot;
}

QString shown(const FileTarget& target) {
    QString text = target.node.empty() ? "new" : QString::fromStdString(target.node);
    text += QString::fromStdString("." + target.param);
    if (target.patched) {
        text += QString::fromStdString(" behind " + target.patched->node);
    }
    if (target.feeds) {
        text += QString::fromStdString(" into " + target.feeds->node + "." + target.feeds->port);
    }
    return target.isPointed ? text + ", pointed" : text;
}

}  // namespace

class FileTargetTest : public QObject {
    Q_OBJECT

    graph::Catalog catalog_{fileNodes()};
    graph::Document document_;

    InsertedFile put(const char* kind, const DropSpot& spot, const CanvasSizes& sizes = {}) {
        const Arrival arrival = arrivalOf(catalog_, kind);
        const FileTarget target = targetFor(document_, catalog_, arrival, spot, {});
        return insertFile(document_, catalog_, arrival, target, spot, sizes);
    }

    std::string add(const char* type, Point at = {2000, 0}) {
        return addNode(document_, *catalog_.find(type), at);
    }

private Q_SLOTS:

    void init() {
        test::failOnQtWarnings();
        document_ = textToImage();
    }

    void aTakerIsAParameterOrAPort_data() {
        addTable<QString, QString, QString>(
            {"graph", "kind", "taker"},
            {{"a node that has it", "i2i", "image", "photo.image"},
             {"a new node behind another one", "t2i", "lora", "load.model"},
             {"a new node that stands alone", "t2i", "image", "none"}});
    }

    void aTakerIsAParameterOrAPort() {
        QFETCH(QString, graph);
        QFETCH(QString, kind);
        QFETCH(QString, taker);
        document_ = graph == "i2i" ? imageToImage() : textToImage();

        const auto found =
            takerOf(targetFor(document_, catalog_, arrivalOf(catalog_, kind), DropSpot(), {}));

        QCOMPARE(found ? QString::fromStdString(found->node + "." + found->port) : "none", taker);
    }

    void aFileGoesWhereItIsPointed_elseWhereItFits_data() {
        addTable<QString, QString, QString, QString>(
            {"graph", "kind", "spot", "expected"},
            {{"field", "i2i", "image", "photo.image", "photo.image, pointed"},
             {"node", "i2i", "image", "photo", "photo.image, pointed"},
             {"node that reads it", "i2i", "image", "start", "photo.image, pointed"},
             {"wire of it", "i2i", "image", "> start.image", "photo.image, pointed"},
             {"wire of another type", "i2i", "image", "> denoise.model", "photo.image"},
             {"node without use for it", "i2i", "image", "save", "photo.image"},
             {"nothing", "i2i", "image", "", "photo.image"},
             {"no input", "t2i", "image", "", "new.image"},
             {"checkpoint", "t2i", "checkpoint", "", "load.checkpoint"},
             {"checkpoint on a reader", "t2i", "checkpoint", "encode", "load.checkpoint, pointed"},
             {"checkpoint on a wire",
              "t2i",
              "checkpoint",
              "> denoise.model",
              "load.checkpoint, pointed"},
             {"autoencoder on another row", "t2i", "vae", "load.checkpoint", "load.vae, pointed"},
             {"lora", "t2i", "lora", "", "new.file behind load"},
             {"lora on a wire", "t2i", "lora", "> encode.model", "new.file behind load, pointed"},
             {"lora on another wire", "t2i", "lora", "> save.image", "new.file behind load"},
             {"lora on a reader", "t2i", "lora", "denoise", "new.file behind load, pointed"},
             {"lora on the model", "t2i", "lora", "load", "new.file behind load, pointed"},
             {"upscaler", "t2i", "upscaler", "", "new.upscaler"},
             {"controlnet", "t2i", "controlnet", "denoise", "new.controlnet"}});
    }

    void aFileGoesWhereItIsPointed_elseWhereItFits() {
        QFETCH(QString, graph);
        QFETCH(QString, kind);
        QFETCH(QString, spot);
        QFETCH(QString, expected);
        document_ = graph == "i2i" ? imageToImage() : textToImage();

        const FileTarget target =
            targetFor(document_, catalog_, arrivalOf(catalog_, kind), spotAt(spot), {});

        QCOMPARE(shown(target), expected);
    }

    void ofSeveralTheSelectedOneIsMeant_thenTheEmptyOne() {
        document_ = imageToImage();
        const std::string other = add("load.image");
        const Arrival image = arrivalOf(catalog_, "image");

        QCOMPARE(targetFor(document_, catalog_, image, {}, {"photo"}).node, std::string("photo"));
        QCOMPARE(targetFor(document_, catalog_, image, {}, {}).node, other);
        document_.nodes.at(other).params["image"] = "cat.png";
        QCOMPARE(targetFor(document_, catalog_, image, {}, {}).node, std::string());
    }

    void filesOfOneDropGetNodesOfTheirOwn() {
        document_ = imageToImage();
        DropSpot spot = spotAt("photo");
        spot.taken = std::make_shared<NodeIds>();

        const InsertedFile first = put("image", spot);
        spot.taken->insert(first.node);
        const InsertedFile second = put("image", spot);

        QCOMPARE(first.node, std::string("photo"));
        QCOMPARE(first.replaced, std::string("dog.png"));
        QVERIFY(second.node != first.node);
    }

    void whatIsForSomethingElseIsLeftAlone() {
        document_ = imageToImage();
        Arrival image = arrivalOf(catalog_, "image");
        image.others = {"photo"};
        QCOMPARE(shown(targetFor(document_, catalog_, image, {}, {})), QString("new.image"));
        QCOMPARE(targetFor(document_, catalog_, image, spotAt("photo"), {}).node,
                 std::string("photo"));
    }

    void aStackTakesItInItsNextFreeRow() {
        const std::string stack = add("load.lora_stack");
        document_.nodes.at(stack).params["file_1"] = "ink.safetensors";
        const auto on = [&] {
            return targetFor(document_,
                             catalog_,
                             arrivalOf(catalog_, "lora"),
                             spotAt(QString::fromStdString(stack)),
                             {})
                .param;
        };
        QCOMPARE(on(), std::string("file_2"));
        document_.nodes.at(stack).params["file_2"] = "oil.safetensors";
        QCOMPARE(on(), std::string("file_1"));
    }

    void aLoraChangesTheModelOfAllThatReadIt_data() {
        addRows("spot", {"save", "> encode.model", "denoise", "load"});
    }

    void aLoraChangesTheModelOfAllThatReadIt() {
        QFETCH(QString, spot);

        const InsertedFile inserted = put("lora", spotAt(spot));

        const std::string changed = inserted.node + ".model";
        for (const char* reader : {"encode", "denoise", "decode"}) {
            QCOMPARE(feeding(document_, reader, "model"), changed);
        }
        QCOMPARE(feeding(document_, inserted.node, "model"), std::string("load.model"));
        QCOMPARE(document_.nodes.at(inserted.node).params.at("file"), Json("new.file"));
        QCOMPARE(inserted.joined, (NodeIds{"load", "encode", "denoise", "decode"}));
    }

    void aLoraOfTwoModelsIsNotGuessed() {
        const std::string second = add("load.checkpoint");
        const std::string refine = add("denoise.sample");
        ui::connect(document_, {second, "model"}, {refine, "model"});

        const InsertedFile inserted = put("lora", {});

        QCOMPARE(feeding(document_, "denoise", "model"), std::string("load.model"));
        QCOMPARE(feeding(document_, refine, "model"), second + ".model");
        QVERIFY(!inserted.node.empty());
    }

    void anUpscalerEnlargesWhatIsSaved() {
        const InsertedFile inserted = put("upscaler", {});

        QCOMPARE(inserted.added.size(), size_t{2});
        const graph::Link* saved = linkInto(document_, {"save", "image"});
        const std::string upscale = saved->from.node;
        QCOMPARE(document_.nodes.at(upscale).type, std::string("upscale.model"));
        QCOMPARE(feeding(document_, upscale, "image"), std::string("decode.image"));
        QCOMPARE(feeding(document_, upscale, "upscaler"), inserted.node + ".upscaler");
    }

    void aControlNetIsAppliedToTheImageThatComesIn() {
        document_ = imageToImage();

        const InsertedFile inserted = put("controlnet", {});

        const std::string apply = linkInto(document_, {"denoise", "control"})->from.node;
        QCOMPARE(feeding(document_, apply, "controlnet"), inserted.node + ".controlnet");
        QCOMPARE(feeding(document_, apply, "image"), std::string("photo.image"));
    }

    void aNewInputIsWiredToTheOneThatLacksIt() {
        document_ = imageToImage();
        removeNodes(document_, catalog_, {"photo"});

        const InsertedFile inserted = put("image", {});

        QCOMPARE(feeding(document_, "start", "image"), inserted.node + ".image");
        QCOMPARE(feeding(document_, "denoise", "mask"), std::string());
        QCOMPARE(inserted.joined, (NodeIds{"start"}));
    }

    void newNodesLieOnNoOther() {
        const InsertedFile inserted = put("upscaler", {.at = {960, 10}, .isAt = true});
        NodeIds all;
        for (const auto& [id, node] : document_.nodes) {
            all.insert(id);
        }
        NodeSizes sizes;
        for (const std::string& id : inserted.added) {
            sizes[id] = {224, 200};
        }
        const std::vector<NodeBox> boxes = nodeBoxesOf(document_, all, sizes);
        for (const NodeBox& box : boxes) {
            for (const NodeBox& other : boxes) {
                const bool isNew =
                    inserted.added.contains(box.id) || inserted.added.contains(other.id);
                QVERIFY2(&box == &other || !isNew || !box.touches(other, 0),
                         qPrintable(QString::fromStdString(box.id + " on " + other.id)));
            }
        }
    }

    void wordsGoIntoThePromptThatIsMeant() {
        const auto prompt = [&](const QString& spot, const NodeIds& selected) {
            const auto found = promptFor(document_, catalog_, spotAt(spot), selected);
            return found ? QString::fromStdString(found->node + "." + found->port) : QString();
        };
        QCOMPARE(prompt("", {}), QString("encode.prompt"));
        QCOMPARE(prompt("encode.negative", {}), QString("encode.negative"));
        const std::string other = add("prompt.encode");
        QCOMPARE(prompt("", {}), QString());
        QCOMPARE(prompt("encode", {}), QString("encode.prompt"));
        QCOMPARE(prompt("", {other}), QString::fromStdString(other + ".prompt"));
    }

    void wordsStandBehindAComma_once_data() {
        addTable<QString, QString>(
            {"before", "after"},
            {{"empty", " ", "embedding:easy"},
             {"words", "a fox ", "a fox, embedding:easy"},
             {"comma", "a fox,", "a fox, embedding:easy"},
             {"there", "embedding:easy, a fox", "embedding:easy, a fox"},
             {"longer name", "embedding:easynegative", "embedding:easynegative, embedding:easy"}});
    }

    void wordsStandBehindAComma_once() {
        QFETCH(QString, before);
        QFETCH(QString, after);
        QCOMPARE(QString::fromStdString(withWords(before.toStdString(), "embedding:easy")), after);
    }
};

LOWTIDE_TEST(FileTargetTest)

}  // namespace file_target_test

#include "file_target_test.moc"
