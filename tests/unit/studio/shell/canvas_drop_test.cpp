#include "plugin/image/image_file.hpp"
#include "plugin/image/png.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/coloured_video.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/document/edits.hpp"
#include "ui/studio/dropped_file.hpp"

#include <array>
#include <optional>
#include <set>

namespace canvas_drop_test {

using namespace lowtide;
using namespace lowtide::ui;

namespace {

QByteArray imageWith(const std::vector<image::ImageText>& texts) {
    const Image8 image{.widthPixels = 2,
                       .heightPixels = 2,
                       .channels = 3,
                       .pixels = std::make_shared<uint8_t[]>(12)};
    return QByteArray::fromStdString(image::encodePng(image, texts));
}

/// A studio at whose canvas files and clipboards arrive.
struct Studio : Working {
    Studio() { canvas().setFocus(); }

    [[nodiscard]] GraphView& canvas() { return widgets().canvas; }

    [[nodiscard]] QString notice() { return widgets().notices.text(); }

    [[nodiscard]] std::optional<std::string> imageNode() { return nodeOf("load.image"); }

    [[nodiscard]] std::optional<std::string> nodeOf(const char* type) {
        for (const auto& [id, node] : model().document().nodes) {
            if (node.type == type) {
                return id;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] QPointF scenePointOf(const std::string& node) {
        const Point stands = positionOf(*model().node(node));
        return {stands.x, stands.y};
    }

    [[nodiscard]] QString fileOf(const std::string& node, const char* param = "image") {
        return QString::fromStdString(
            model().document().nodes.at(node).params.at(param).get<std::string>());
    }

    void paste() { QTest::keyClick(&canvas(), Qt::Key_V, Qt::ControlModifier); }

    /// A file manager lets the file go over the canvas.
    void drop(const QString& path, QPoint at) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QWidget* target = canvas().viewport();
        QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target, &enter);
        QVERIFY(enter.isAccepted());
        QDragMoveEvent move(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target, &move);
        QDropEvent event(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target, &event);
        QVERIFY(event.isAccepted());
    }

    [[nodiscard]] QString write(const char* name, const QByteArray& bytes) {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size()
                   ? file.fileName()
                   : QString();
    }
};

}  // namespace

/// Files and clipboards of other programs that come onto the canvas.
class CanvasDropTest : public test::StrictTest {
    Q_OBJECT

private Q_SLOTS:

    void cleanup() { QGuiApplication::clipboard()->clear(); }

    void aDroppedImageBecomesANode_whereItWasLetGo() {
        Studio studio;
        const QString path = studio.write("cat.png", imageWith({}));
        const QPoint at(120, 90);
        const QPointF point = studio.canvas().mapToScene(at);
        studio.drop(path, at);
        QTRY_VERIFY_WITH_TIMEOUT(studio.imageNode().has_value(), kPatience);
        const std::string node = *studio.imageNode();
        QCOMPARE(studio.fileOf(node), path);
        QVERIFY((studio.scenePointOf(node) - point).manhattanLength() < 2);
    }

    void aDroppedVideoBecomesANode_data() {
        testing::addRows("format", {"mp4", "webp_lossless", "png"});
    }

    void aDroppedVideoBecomesANode() {
        QFETCH(QString, format);
        Studio studio;
        const QString path = studio.folder.filePath("video." + format.section('_', 0, 0));
        testing::writeColours(path, format.toLatin1().constData(), 3);
        studio.drop(path, {120, 90});
        QTRY_VERIFY_WITH_TIMEOUT(studio.nodeOf("load.video").has_value(), kPatience);
        const std::string node = *studio.nodeOf("load.video");
        QCOMPARE(studio.fileOf(node, "video"), path);
        QVERIFY(!studio.imageNode());
        // Its first frame is seen on the node.
        const NodeStatuses& statuses = studio.work().statuses;
        QTRY_VERIFY_WITH_TIMEOUT(!statuses.of(node).nodeImage.isNull(), kPatience);
        QVERIFY(testing::isFrame(statuses.of(node).nodeImage.pixelColor(3, 3), 0));
    }

    void imagesThatAreDroppedTogetherLieNextToEachOther() {
        Studio studio;
        const size_t before = studio.model().document().nodes.size();
        for (const char* name : {"a.png", "b.png", "c.png"}) {
            studio.drop(studio.write(name, imageWith({})), {120, 90});
        }
        QTRY_COMPARE_WITH_TIMEOUT(studio.model().document().nodes.size(), before + 3, kPatience);
        std::set<std::pair<double, double>> positions;
        for (const auto& [id, node] : studio.model().document().nodes) {
            const Point point = positionOf(node);
            positions.emplace(point.x, point.y);
        }
        QCOMPARE(positions.size(), before + 3);
    }

    void aDroppedFileIsRefusedAsWhatItIs_data() {
        testing::addTable<QString, QString>(
            {"name", "title"},
            {{"picture", "cat.jpg", "cannot be used"},
             {"weights", "broken.safetensors", "cannot be used"},
             {"folder without an index", "models--org--name/", "cannot be used"},
             {"other", "notes.txt", "cannot be opened"}});
    }

    void aDroppedFileIsRefusedAsWhatItIs() {
        QFETCH(QString, name);
        QFETCH(QString, title);
        Studio studio;
        const bool isFolder = name.endsWith('/');
        QString path = studio.write(isFolder ? "notes.txt" : qPrintable(name), "neither");
        if (isFolder) {
            path = QFileInfo(path).dir().filePath(name.chopped(1));
            QVERIFY(QDir().mkpath(path));
        }
        QString message;
        answer("error", [&](QDialog& box) {
            message = box.windowTitle() + box.findChild<QLabel*>("qt_msgbox_label")->text();
            box.reject();
        });
        studio.drop(path, {120, 90});
        QTRY_VERIFY_WITH_TIMEOUT(!message.isEmpty(), kPatience);
        QVERIFY2(message.contains(title), qPrintable(message));
        QVERIFY2(title == "cannot be opened" || !message.contains("graph"), qPrintable(message));
    }

    /// Whatever it is called: what it holds decides.
    void aDroppedJpegBecomesANode() {
        Studio studio;
        const Image8 dot{.widthPixels = 2,
                         .heightPixels = 2,
                         .channels = 3,
                         .pixels = std::make_shared<uint8_t[]>(12)};
        const QByteArray bytes = QByteArray::fromStdString(
            image::encodeImage(dot, {}, {.format = image::ImageFormat::Jpeg}));
        const QString path = studio.write("photo.data", bytes);
        studio.drop(path, {120, 90});
        QTRY_VERIFY_WITH_TIMEOUT(studio.imageNode().has_value(), kPatience);
        QCOMPARE(studio.fileOf(*studio.imageNode()), path);
    }

    /// Each is asked about, one after the other, and lies where it was let go.
    void severalDroppedImagesAreAllTaken() {
        Studio studio;
        const std::string graph = graph::toText(studio.model().document());
        const QString first = studio.write("a.png", imageWith({{"lowtide_graph", graph}}));
        const QString second = studio.write("b.png", imageWith({{"lowtide_graph", graph}}));
        const std::array<QPoint, 2> positions = {QPoint(120, 90), QPoint(260, 200)};
        const QPointF firstPosition = studio.canvas().mapToScene(positions[0]);
        studio.drop(first, positions[0]);
        QPushButton* use = nullptr;
        const auto isAsked = [&] {
            use = studio.window->findChild<QPushButton*>("useAsInput");
            return use != nullptr && use->isVisible();
        };
        QTRY_VERIFY_WITH_TIMEOUT(isAsked(), kPatience);
        // The view has been fitted to the graph meanwhile.
        const QPointF secondPosition = studio.canvas().mapToScene(positions[1]);
        studio.drop(second, positions[1]);
        QTest::qWait(200);
        QVERIFY(isAsked());
        QTest::mouseClick(use, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(studio.imageNode().has_value(), kPatience);
        const std::string node = *studio.imageNode();
        QCOMPARE(studio.fileOf(node), first);
        QVERIFY((studio.scenePointOf(node) - firstPosition).manhattanLength() < 2);
        QTRY_VERIFY_WITH_TIMEOUT(isAsked(), kPatience);
        QTest::mouseClick(use, Qt::LeftButton);
        const auto lies = [&](const QPointF& point) {
            for (const auto& [id, each] : studio.model().document().nodes) {
                if (each.type == "load.image" && studio.fileOf(id) == second) {
                    return (studio.scenePointOf(id) - point).manhattanLength() < 2;
                }
            }
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(lies(secondPosition), kPatience);
    }

    void aDroppedImageThatCarriesAGraphAsks() {
        Studio studio;
        graph::Document kept = studio.model().document();
        kept.nodes.begin()->second.title = "From an image";
        const QString path =
            studio.write("kept.png", imageWith({{"lowtide_graph", graph::toText(kept)}}));
        studio.drop(path, {120, 90});
        QPushButton* open = nullptr;
        QTRY_VERIFY_WITH_TIMEOUT(
            (open = studio.window->findChild<QPushButton*>("openGraph")) != nullptr, kPatience);
        QTest::mouseClick(open, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.model().document().nodes.begin()->second.title.value_or(""),
            std::string("From an image"),
            kPatience);
    }

    void aPastedImageIsKeptAsAFile() {
        Studio studio;
        QImage image(40, 30, QImage::Format_ARGB32);
        image.fill(QColor(200, 30, 60, 120));
        QGuiApplication::clipboard()->setImage(image);
        const QPointF point =
            studio.canvas().mapToScene(studio.canvas().viewport()->rect().center());
        studio.paste();
        QTRY_VERIFY_WITH_TIMEOUT(studio.imageNode().has_value(), kPatience);
        QVERIFY((studio.scenePointOf(*studio.imageNode()) - point).manhattanLength() < 2);
        const QString path = studio.fileOf(*studio.imageNode());
        QVERIFY2(path.startsWith(studio.folder.filePath("pasted/")), qPrintable(path));
        QCOMPARE(QImage(path).convertToFormat(QImage::Format_ARGB32), image);
        const size_t nodes = studio.model().document().nodes.size();
        studio.paste();
        QTRY_COMPARE_WITH_TIMEOUT(studio.model().document().nodes.size(), nodes + 1, kPatience);
        QCOMPARE(QDir(studio.folder.filePath("pasted")).entryList(QDir::Files).size(), 1);
    }

    void aPastedImageThatIsTooLargeIsLeft() {
        Studio studio;
        const size_t nodes = studio.model().document().nodes.size();
        QGuiApplication::clipboard()->setImage(QImage(9000, 8000, QImage::Format_Grayscale8));
        studio.paste();
        QVERIFY2(studio.notice().contains("9000 x 8000"), qPrintable(studio.notice()));
        QCOMPARE(studio.model().document().nodes.size(), nodes);
        QVERIFY(!QFile::exists(studio.folder.filePath("pasted")));
    }

    void aPastedImageThatCannotBeKeptExplainsWhy() {
        Studio studio;
        QVERIFY(!studio.write("pasted", "a file where the folder would be").isEmpty());
        QImage image(4, 4, QImage::Format_RGB32);
        image.fill(Qt::red);
        QGuiApplication::clipboard()->setImage(image);
        studio.paste();
        QTRY_VERIFY_WITH_TIMEOUT(studio.notice().contains("could not be kept"), kPatience);
        QVERIFY(!studio.imageNode());
    }

    void aPastedWorkflowOfComfyIsNamed() {
        Studio studio;
        const std::string before = graph::toText(studio.model().document());
        QGuiApplication::clipboard()->setText(
            R"({"nodes": [{"id": 1, "type": "FaceDetailer"}], "links": []})");
        studio.paste();
        QVERIFY2(studio.notice().contains("ComfyUI workflow"), qPrintable(studio.notice()));
        QVERIFY(studio.notice().contains("There is no counterpart of FaceDetailer"));
        QCOMPARE(graph::toText(studio.model().document()), before);
    }

    void aCopyOutOfTheCanvasOfComfyIsNamed() {
        Studio studio;
        const QByteArray text = R"({"nodes": [{"id": 1, "type": "KSampler"}], "links": []})";
        auto* data = new QMimeData;
        data->setHtml(QStringLiteral("<meta charset=\"utf-8\"><div><span data-metadata=\"%1\">"
                                     "</span></div><span>Text</span>")
                          .arg(QString::fromLatin1(text.toBase64())));
        QGuiApplication::clipboard()->setMimeData(data);
        studio.paste();
        QVERIFY2(studio.notice().contains("ComfyUI workflow"), qPrintable(studio.notice()));
    }

    void otherTextsExplainWhyNothingIsPasted_data() {
        testing::addTable<QString, QString>(
            {"text", "expected"},
            {{"words", "a cat", "is no graph"}, {"nothing", "", "no nodes and no image"}});
    }

    void otherTextsExplainWhyNothingIsPasted() {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        Studio studio;
        QGuiApplication::clipboard()->setText(text);
        studio.paste();
        QVERIFY2(studio.notice().contains(expected), qPrintable(studio.notice()));
    }

    void aFileThatWasCopiedIsTakenAsIfDropped() {
        Studio studio;
        const QString path = studio.write("cat.png", imageWith({}));
        auto* data = new QMimeData;
        data->setUrls({QUrl::fromLocalFile(path)});
        QGuiApplication::clipboard()->setMimeData(data);
        studio.paste();
        QTRY_VERIFY_WITH_TIMEOUT(studio.imageNode().has_value(), kPatience);
        QCOMPARE(studio.fileOf(*studio.imageNode()), path);
        QCOMPARE(studio.notice(), QString());
    }

    void onlyASourceTakesADroppedImage() {
        std::vector<NodeDesc> nodes = smallNodes();
        NodeDesc blend = *graph::Catalog(nodes).find("load.image");
        blend.id = "image.blend";
        blend.inputs = blend.outputs;
        nodes.insert(nodes.begin(), blend);
        const graph::Catalog catalog(nodes);
        QCOMPARE(imageInput(catalog).desc->id, std::string("load.image"));
    }
};

LOWTIDE_WINDOW_TEST(CanvasDropTest)

}  // namespace canvas_drop_test

#include "canvas_drop_test.moc"
