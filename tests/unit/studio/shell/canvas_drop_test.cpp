#include "plugin/image/picture_file.hpp"
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

QByteArray pictureWith(const std::vector<image::PictureText>& texts) {
    const Image8 picture{.widthPixels = 2,
                         .heightPixels = 2,
                         .channels = 3,
                         .pixels = std::make_shared<uint8_t[]>(12)};
    return QByteArray::fromStdString(image::encodePng(picture, texts));
}

/// A studio at whose canvas files and clipboards arrive.
struct Studio : Working {
    Studio() { canvas().setFocus(); }

    [[nodiscard]] GraphView& canvas() { return window->desk()->canvas(); }

    [[nodiscard]] QString notice() { return window->desk()->notices().text(); }

    [[nodiscard]] std::optional<std::string> pictureNode() { return nodeOf("load.image"); }

    [[nodiscard]] std::optional<std::string> nodeOf(const char* type) {
        for (const auto& [id, node] : model().document().nodes) {
            if (node.type == type) {
                return id;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] QPointF placeOf(const std::string& node) {
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
class CanvasDropTest : public QObject {
    Q_OBJECT

private Q_SLOTS:

    void init() { test::failOnQtWarnings(); }

    void cleanup() { QGuiApplication::clipboard()->clear(); }

    void aDroppedPictureBecomesANode_whereItWasLetGo() {
        Studio studio;
        const QString path = studio.write("cat.png", pictureWith({}));
        const QPoint at(120, 90);
        const QPointF place = studio.canvas().mapToScene(at);
        studio.drop(path, at);
        QTRY_VERIFY_WITH_TIMEOUT(studio.pictureNode().has_value(), kPatience);
        const std::string node = *studio.pictureNode();
        QCOMPARE(studio.fileOf(node), path);
        QVERIFY((studio.placeOf(node) - place).manhattanLength() < 2);
    }

    void aDroppedVideoBecomesANode_data() {
        QTest::addColumn<QString>("format");
        for (const char* format : {"mp4", "webp_lossless", "png"}) {
            QTest::newRow(format) << format;
        }
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
        QVERIFY(!studio.pictureNode());
        // Its first frame is seen on the node.
        const NodeStatuses& statuses = studio.window->workspace()->statuses;
        QTRY_VERIFY_WITH_TIMEOUT(!statuses.of(node).picture.isNull(), kPatience);
        QVERIFY(testing::isFrame(statuses.of(node).picture.pixelColor(3, 3), 0));
    }

    void picturesThatAreDroppedTogetherLieBesideEachOther() {
        Studio studio;
        const size_t before = studio.model().document().nodes.size();
        for (const char* name : {"a.png", "b.png", "c.png"}) {
            studio.drop(studio.write(name, pictureWith({})), {120, 90});
        }
        QTRY_COMPARE_WITH_TIMEOUT(studio.model().document().nodes.size(), before + 3, kPatience);
        std::set<std::pair<double, double>> places;
        for (const auto& [id, node] : studio.model().document().nodes) {
            const Point place = positionOf(node);
            places.emplace(place.x, place.y);
        }
        QCOMPARE(places.size(), before + 3);
    }

    void aDroppedFileIsRefusedAsWhatItIs_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("title");
        QTest::newRow("picture") << "cat.jpg"
                                 << "cannot be used";
        QTest::newRow("weights") << "broken.safetensors"
                                 << "cannot be used";
        QTest::newRow("folder without an index") << "models--org--name/"
                                                 << "cannot be used";
        QTest::newRow("other") << "notes.txt"
                               << "cannot be opened";
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
        QString said;
        answer("error", [&](QDialog& box) {
            said = box.windowTitle() + box.findChild<QLabel*>("qt_msgbox_label")->text();
            box.reject();
        });
        studio.drop(path, {120, 90});
        QTRY_VERIFY_WITH_TIMEOUT(!said.isEmpty(), kPatience);
        QVERIFY2(said.contains(title), qPrintable(said));
        QVERIFY2(title == "cannot be opened" || !said.contains("graph"), qPrintable(said));
    }

    /// Whatever it is called: what it holds decides.
    void aDroppedJpegBecomesANode() {
        Studio studio;
        const Image8 dot{.widthPixels = 2,
                         .heightPixels = 2,
                         .channels = 3,
                         .pixels = std::make_shared<uint8_t[]>(12)};
        const QByteArray bytes = QByteArray::fromStdString(
            image::encodePicture(dot, {}, {.format = image::PictureFormat::Jpeg}));
        const QString path = studio.write("photo.data", bytes);
        studio.drop(path, {120, 90});
        QTRY_VERIFY_WITH_TIMEOUT(studio.pictureNode().has_value(), kPatience);
        QCOMPARE(studio.fileOf(*studio.pictureNode()), path);
    }

    /// Each is asked about, one after the other, and lies where it was let go.
    void severalDroppedPicturesAreAllTaken() {
        Studio studio;
        const std::string graph = graph::toText(studio.model().document());
        const QString first = studio.write("a.png", pictureWith({{"lowtide_graph", graph}}));
        const QString second = studio.write("b.png", pictureWith({{"lowtide_graph", graph}}));
        const std::array<QPoint, 2> places = {QPoint(120, 90), QPoint(260, 200)};
        const QPointF firstPlace = studio.canvas().mapToScene(places[0]);
        studio.drop(first, places[0]);
        QPushButton* use = nullptr;
        const auto isAsked = [&] {
            use = studio.window->findChild<QPushButton*>("useAsInput");
            return use != nullptr && use->isVisible();
        };
        QTRY_VERIFY_WITH_TIMEOUT(isAsked(), kPatience);
        // The view has been fitted to the graph meanwhile.
        const QPointF secondPlace = studio.canvas().mapToScene(places[1]);
        studio.drop(second, places[1]);
        QTest::qWait(200);
        QVERIFY(isAsked());
        QTest::mouseClick(use, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(studio.pictureNode().has_value(), kPatience);
        const std::string node = *studio.pictureNode();
        QCOMPARE(studio.fileOf(node), first);
        QVERIFY((studio.placeOf(node) - firstPlace).manhattanLength() < 2);
        QTRY_VERIFY_WITH_TIMEOUT(isAsked(), kPatience);
        QTest::mouseClick(use, Qt::LeftButton);
        const auto lies = [&](const QPointF& place) {
            for (const auto& [id, each] : studio.model().document().nodes) {
                if (each.type == "load.image" && studio.fileOf(id) == second) {
                    return (studio.placeOf(id) - place).manhattanLength() < 2;
                }
            }
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(lies(secondPlace), kPatience);
    }

    void aDroppedPictureThatCarriesAGraphAsks() {
        Studio studio;
        graph::Document kept = studio.model().document();
        kept.nodes.begin()->second.title = "From a picture";
        const QString path =
            studio.write("kept.png", pictureWith({{"lowtide_graph", graph::toText(kept)}}));
        studio.drop(path, {120, 90});
        QPushButton* open = nullptr;
        QTRY_VERIFY_WITH_TIMEOUT(
            (open = studio.window->findChild<QPushButton*>("openGraph")) != nullptr, kPatience);
        QTest::mouseClick(open, Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(
            studio.model().document().nodes.begin()->second.title.value_or(""),
            std::string("From a picture"),
            kPatience);
    }

    void aPastedPictureIsKeptAsAFile() {
        Studio studio;
        QImage picture(40, 30, QImage::Format_ARGB32);
        picture.fill(QColor(200, 30, 60, 120));
        QGuiApplication::clipboard()->setImage(picture);
        const QPointF place =
            studio.canvas().mapToScene(studio.canvas().viewport()->rect().center());
        studio.paste();
        QTRY_VERIFY_WITH_TIMEOUT(studio.pictureNode().has_value(), kPatience);
        QVERIFY((studio.placeOf(*studio.pictureNode()) - place).manhattanLength() < 2);
        const QString path = studio.fileOf(*studio.pictureNode());
        QVERIFY2(path.startsWith(studio.folder.filePath("pasted/")), qPrintable(path));
        QCOMPARE(QImage(path).convertToFormat(QImage::Format_ARGB32), picture);
        const size_t nodes = studio.model().document().nodes.size();
        studio.paste();
        QTRY_COMPARE_WITH_TIMEOUT(studio.model().document().nodes.size(), nodes + 1, kPatience);
        QCOMPARE(QDir(studio.folder.filePath("pasted")).entryList(QDir::Files).size(), 1);
    }

    void aPastedPictureThatIsTooLargeIsLeft() {
        Studio studio;
        const size_t nodes = studio.model().document().nodes.size();
        QGuiApplication::clipboard()->setImage(QImage(9000, 8000, QImage::Format_Grayscale8));
        studio.paste();
        QVERIFY2(studio.notice().contains("9000 x 8000"), qPrintable(studio.notice()));
        QCOMPARE(studio.model().document().nodes.size(), nodes);
        QVERIFY(!QFile::exists(studio.folder.filePath("pasted")));
    }

    void aPastedPictureThatCannotBeKeptSaysWhy() {
        Studio studio;
        QVERIFY(!studio.write("pasted", "a file where the folder would be").isEmpty());
        QImage picture(4, 4, QImage::Format_RGB32);
        picture.fill(Qt::red);
        QGuiApplication::clipboard()->setImage(picture);
        studio.paste();
        QTRY_VERIFY_WITH_TIMEOUT(studio.notice().contains("could not be kept"), kPatience);
        QVERIFY(!studio.pictureNode());
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

    void otherTextsSayWhyNothingIsPasted_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("words") << "a cat"
                               << "is no graph";
        QTest::newRow("nothing") << ""
                                 << "no nodes and no picture";
    }

    void otherTextsSayWhyNothingIsPasted() {
        QFETCH(QString, text);
        QFETCH(QString, says);
        Studio studio;
        QGuiApplication::clipboard()->setText(text);
        studio.paste();
        QVERIFY2(studio.notice().contains(says), qPrintable(studio.notice()));
    }

    void aFileThatWasCopiedIsTakenAsIfDropped() {
        Studio studio;
        const QString path = studio.write("cat.png", pictureWith({}));
        auto* data = new QMimeData;
        data->setUrls({QUrl::fromLocalFile(path)});
        QGuiApplication::clipboard()->setMimeData(data);
        studio.paste();
        QTRY_VERIFY_WITH_TIMEOUT(studio.pictureNode().has_value(), kPatience);
        QCOMPARE(studio.fileOf(*studio.pictureNode()), path);
        QCOMPARE(studio.notice(), QString());
    }

    void onlyASourceTakesADroppedPicture() {
        std::vector<NodeDesc> nodes = smallNodes();
        NodeDesc blend = *graph::Catalog(nodes).find("load.image");
        blend.id = "image.blend";
        blend.inputs = blend.outputs;
        nodes.insert(nodes.begin(), blend);
        const graph::Catalog catalog(nodes);
        QCOMPARE(pictureInput(catalog).desc->id, std::string("load.image"));
    }
};

LOWTIDE_WINDOW_TEST(CanvasDropTest)

}  // namespace canvas_drop_test

#include "canvas_drop_test.moc"
