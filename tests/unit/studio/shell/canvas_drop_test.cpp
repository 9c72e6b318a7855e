#include "plugin/image/image_file.hpp"
#include "plugin/image/png.hpp"
#include "tests/fixtures/qt_warnings.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/unit/studio/bridge/coloured_video.hpp"
#include "tests/unit/studio/shell/window_bench.hpp"
#include "ui/canvas/graph_scene.hpp"
#include "ui/document/edits.hpp"
#include "ui/studio/dropped_file.hpp"

#include <algorithm>
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

    /// Where no node lies.
    void lookAside() {
        QCoreApplication::processEvents();  // the view has been fitted to the graph
        canvas().centerOn(5000, 5000);
    }

    /// A node that reads a file, in the middle of the view.
    std::string addImageNode(const QString& file) {
        std::string id;
        model().apply("Add", [&](graph::Document& document) {
            id = addNode(document, *model().catalog().find("load.image"), {5000, 5000});
            document.nodes.at(id).params["image"] = file.toStdString();
        });
        return id;
    }

    void drop(const QString& path, QPoint at) { dropOn(*canvas().viewport(), {path}, at); }

    /// A file manager lets the files go over the widget.
    void dropOn(QWidget& widget, const QStringList& paths, QPoint at) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& path : paths) {
            urls << QUrl::fromLocalFile(path);
        }
        data.setUrls(urls);
        QWidget* target = &widget;
        QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target, &enter);
        QVERIFY(enter.isAccepted());
        QDragMoveEvent move(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target, &move);
        QDropEvent event(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target, &event);
        QVERIFY(event.isAccepted());
    }

    /// Of the canvas.
    [[nodiscard]] int accentPixels() {
        const QImage image = canvas().grab().toImage();
        const QColor accent = Theme::current().colour("accent");
        int count = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                count += image.pixelColor(x, y) == accent ? 1 : 0;
            }
        }
        return count;
    }

    /// It is dragged over the widget, and not let go.
    void dragOver(QWidget& widget, const QString& path) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        const QPoint at = widget.rect().center();
        QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&widget, &enter);
        QVERIFY(enter.isAccepted());
        QDragMoveEvent move(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&widget, &move);
    }

    void dragAway(QWidget& widget) {
        QDragLeaveEvent leave;
        QApplication::sendEvent(&widget, &leave);
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
        studio.lookAside();
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
        QStringList files;
        for (const char* name : {"a.png", "b.png", "c.png"}) {
            files << studio.write(name, imageWith({}));
        }
        studio.dropOn(*studio.canvas().viewport(), files, {120, 90});
        QTRY_COMPARE_WITH_TIMEOUT(studio.model().document().nodes.size(), before + 3, kPatience);
        std::set<QString> read;
        NodeIds images;
        NodeIds all;
        for (const auto& [id, node] : studio.model().document().nodes) {
            all.insert(id);
            if (node.type == "load.image") {
                images.insert(id);
                read.insert(studio.fileOf(id));
            }
        }
        QCOMPARE(read, std::set<QString>(files.begin(), files.end()));
        const std::vector<NodeBox> boxes =
            nodeBoxesOf(studio.model().document(), all, studio.canvas().nodeSizes());
        for (const NodeBox& box : boxes) {
            const auto lies = [&](const NodeBox& other) {
                return other.id != box.id && images.contains(other.id) && box.touches(other, 0);
            };
            QVERIFY2(std::ranges::none_of(boxes, lies), box.id.c_str());
        }
    }

    /// Whatever graph it carries: the user pointed at what is to have it.
    void aDroppedImageGoesIntoTheNodeBelowThePointer() {
        Studio studio;
        const std::string node = studio.addImageNode("/old.png");
        const std::string other = studio.addImageNode("/other.png");
        studio.model().apply("Move", [&](graph::Document& document) {
            setPosition(document.nodes.at(other), {5600, 5000});
        });
        const size_t nodes = studio.model().document().nodes.size();
        const std::string graph = graph::toText(studio.model().document());
        const QString path = studio.write("cat.png", imageWith({{"lowtide_graph", graph}}));
        studio.lookAside();

        studio.drop(path, studio.canvas().mapFromScene(QPointF(5020, 5012)));

        QTRY_COMPARE_WITH_TIMEOUT(studio.fileOf(node), path, kPatience);
        QCOMPARE(studio.fileOf(other), QString("/other.png"));
        QCOMPARE(studio.model().document().nodes.size(), nodes);
        QVERIFY(!studio.window->findChild<QPushButton*>("useAsInput"));
        QCOMPARE(studio.notice(), QString());
    }

    void aDroppedImageGoesIntoTheOnlyInput_andANoticeTakesItBack() {
        Studio studio;
        const std::string node = studio.addImageNode("/old.png");
        const size_t nodes = studio.model().document().nodes.size();
        const QString path = studio.write("cat.png", imageWith({}));
        studio.lookAside();

        studio.drop(path, {5, 5});

        QTRY_COMPARE_WITH_TIMEOUT(studio.fileOf(node), path, kPatience);
        QCOMPARE(studio.model().document().nodes.size(), nodes);
        QVERIFY2(studio.notice().contains("in place of old.png"), qPrintable(studio.notice()));
        QTest::mouseClick(studio.window->findChild<QPushButton*>("noticeButton"), Qt::LeftButton);
        QCOMPARE(studio.fileOf(node), QString("/old.png"));
        QCOMPARE(studio.notice(), QString());
    }

    /// Another graph has a step of its own by then.
    void theNoticeIsThatOfItsOwnGraph() {
        Studio studio;
        const std::string node = studio.addImageNode("/old.png");
        const DocumentId first = studio.model().shown();
        const QString path = studio.write("cat.png", imageWith({}));
        studio.lookAside();
        studio.drop(path, {5, 5});
        QTRY_COMPARE_WITH_TIMEOUT(studio.fileOf(node), path, kPatience);
        studio.window->controller()->files().newGraph();
        QTRY_VERIFY_WITH_TIMEOUT(studio.model().shown() != first, kPatience);
        const std::string other = studio.addImageNode("/other.png");
        QCOMPARE(studio.notice(), QString());

        studio.work().file.show(first);
        QTest::mouseClick(studio.window->findChild<QPushButton*>("noticeButton"), Qt::LeftButton);

        QCOMPARE(studio.model().document(first).nodes.at(node).params.at("image"),
                 Json("/old.png"));
        QVERIFY(studio.work().file.documents().size() == 2);
        for (const DocumentId id : studio.work().file.documents()) {
            QVERIFY(id == first || studio.model().document(id).nodes.contains(other));
        }
    }

    /// What the file holds is read meanwhile.
    void aFileThatArrivesInAnotherGraphIsNoMatterOfThePointer() {
        Studio studio;
        const std::string node = studio.addImageNode("/old.png");
        const DocumentId first = studio.model().shown();
        const QString path = studio.write("cat.png", imageWith({}));
        studio.lookAside();

        studio.drop(path, studio.canvas().mapFromScene(QPointF(5020, 5012)));
        studio.window->controller()->files().newGraph();
        QVERIFY(studio.model().shown() != first);
        const std::string other = studio.addImageNode("/other.png");
        QCOMPARE(other, node);
        const std::string second = studio.addImageNode("/second.png");
        const size_t nodes = studio.model().document().nodes.size();

        QTRY_COMPARE_WITH_TIMEOUT(studio.model().document().nodes.size(), nodes + 1, kPatience);
        QCOMPARE(studio.fileOf(other), QString("/other.png"));
        QCOMPARE(studio.fileOf(second), QString("/second.png"));
    }

    void aDroppedImageGoesIntoTheWiresSource() {
        Studio studio;
        const std::string node = studio.addImageNode("/old.png");
        const std::string other = studio.addImageNode("/other.png");
        std::string save;
        studio.model().apply("Wire", [&](graph::Document& document) {
            setPosition(document.nodes.at(other), {5000, 5600});
            save = addNode(document, *studio.model().catalog().find("save.image"), {5600, 5000});
            ui::connect(document, {node, "image"}, {save, "image"});
        });
        const QString path = studio.write("cat.png", imageWith({}));
        studio.lookAside();
        auto& scene = *qobject_cast<GraphScene*>(studio.canvas().scene());
        const Wire& wire = *scene.wires().into({save, "image"});

        studio.drop(path,
                    studio.canvas().mapFromScene(wire.path.points[wire.path.points.size() / 2]));

        QTRY_COMPARE_WITH_TIMEOUT(studio.fileOf(node), path, kPatience);
        QCOMPARE(studio.fileOf(other), QString("/other.png"));
    }

    void aDroppedImageGoesIntoTheFieldBelowThePointer_data() {
        testing::addRows("panel", {"view.generate", "view.inspector"});
    }

    void aDroppedImageGoesIntoTheFieldBelowThePointer() {
        QFETCH(QString, panel);
        Studio studio;
        const std::string node = studio.addImageNode("/old.png");
        const std::string other = studio.addImageNode("/other.png");
        studio.model().apply("Expose", [&](graph::Document& document) {
            document.exposed.clear();
            setExposed(document, node, "image", "Image", true);
            setPosition(document.nodes.at(other), {5600, 5000});
        });
        studio.canvas().select({node});
        studio.action(qPrintable(panel)).trigger();
        QWidget& dock = panel == "view.generate" ? static_cast<QWidget&>(studio.widgets().form)
                                                 : studio.widgets().inspector;
        QLineEdit* field = nullptr;
        QTRY_VERIFY_WITH_TIMEOUT(
            (field = dock.findChild<QLineEdit*>("path")) != nullptr && field->isVisible(),
            kPatience);
        const QString path = studio.write("cat.png", imageWith({}));

        studio.dropOn(*field, {path}, field->rect().center());

        QTRY_COMPARE_WITH_TIMEOUT(studio.fileOf(node), path, kPatience);
        QCOMPARE(studio.fileOf(other), QString("/other.png"));
        QCOMPARE(field->text(), path);
        QCOMPARE(studio.notice(), QString());
    }

    void whatWouldTakeADraggedImageIsFramed_data() {
        testing::addRows("over", {"view.generate", "view.inspector", "canvas"});
    }

    void whatWouldTakeADraggedImageIsFramed() {
        QFETCH(QString, over);
        Studio studio;
        const std::string node = studio.addImageNode("/old.png");
        studio.model().apply("Expose", [&](graph::Document& document) {
            document.exposed.clear();
            setExposed(document, node, "image", "Image", true);
        });
        studio.canvas().select({node});
        const bool isCanvas = over == "canvas";
        studio.action(isCanvas ? "view.inspector" : qPrintable(over)).trigger();
        QWidget& dock = over == "view.generate" ? static_cast<QWidget&>(studio.widgets().form)
                                                : studio.widgets().inspector;
        QLineEdit* field = nullptr;
        QTRY_VERIFY_WITH_TIMEOUT(
            (field = dock.findChild<QLineEdit*>("path")) != nullptr && field->isVisible(),
            kPatience);
        QCoreApplication::processEvents();  // the view has been fitted to the graph
        studio.canvas().centerOn(studio.scenePointOf(node));
        const int before = studio.accentPixels();
        QWidget& target = isCanvas ? *studio.canvas().viewport() : *field;

        studio.dragOver(target, studio.write("cat.png", imageWith({})));

        QTRY_VERIFY_WITH_TIMEOUT(dock.findChild<QWidget*>("dropFrame"), kPatience);
        QVERIFY(dock.findChild<QWidget*>("dropFrame")->parentWidget()->isAncestorOf(field));
        QVERIFY(studio.accentPixels() > before + 100);
        studio.dragAway(target);
        QVERIFY(!dock.findChild<QWidget*>("dropFrame"));
        QCOMPARE(studio.accentPixels(), before);
        QCOMPARE(studio.fileOf(node), QString("/old.png"));
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

    /// Each is asked about, one after the other, and gets a node of its own.
    void severalDroppedImagesAreAllTaken() {
        Studio studio;
        const std::string graph = graph::toText(studio.model().document());
        const QStringList files = {studio.write("a.png", imageWith({{"lowtide_graph", graph}})),
                                   studio.write("b.png", imageWith({{"lowtide_graph", graph}}))};
        studio.dropOn(*studio.canvas().viewport(), files, {120, 90});
        std::set<QString> asked;
        while (asked.size() < 2) {
            QMessageBox* question = nullptr;
            const auto isAsked = [&] {
                auto* use = studio.window->findChild<QPushButton*>("useAsInput");
                question = use ? qobject_cast<QMessageBox*>(use->window()) : nullptr;
                return question && question->isVisible() && !asked.contains(question->text());
            };
            QTRY_VERIFY_WITH_TIMEOUT(isAsked(), kPatience);
            asked.insert(question->text());
            QTest::mouseClick(question->findChild<QPushButton*>("useAsInput"), Qt::LeftButton);
        }
        const auto read = [&] {
            std::set<QString> all;
            for (const auto& [id, node] : studio.model().document().nodes) {
                if (node.type == "load.image") {
                    all.insert(studio.fileOf(id));
                }
            }
            return all;
        };
        QTRY_COMPARE_WITH_TIMEOUT(read(), std::set<QString>(files.begin(), files.end()), kPatience);
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
        studio.lookAside();
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
        QTRY_VERIFY_WITH_TIMEOUT(studio.notice().contains("already"), kPatience);
        QCOMPARE(studio.model().document().nodes.size(), nodes);
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
        QVERIFY2(studio.notice().contains("Added Load image"), qPrintable(studio.notice()));
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
