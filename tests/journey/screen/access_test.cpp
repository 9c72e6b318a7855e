// The program as a screen reader has it: everything is read and done from outside, through AT-SPI
// and keys, without a look at a pixel.
#include "plugin/base/json.hpp"
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/screen/at_spi.hpp"
#include "tests/journey/screen/real_studio.hpp"

#include <QDir>
#include <QGuiApplication>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace access_test {

using namespace lowtide;
using namespace lowtide::testing;

using Role = AtSpi::Role;

namespace {

constexpr int kStartPatience = 120000;
constexpr int kRunPatience = 300000;

/// Keys of the X server, to whatever has the focus.
void type(const QStringList& arguments) {
    QCOMPARE(QProcess::execute("xdotool", arguments), 0);
}

}  // namespace

class AccessTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void theGraphIsReadInRunOrder();
    void aNodeIsAddedByActionAndKeys();
    void itIsWiredByActionAndKeys();
    void valuesAreSet();
    void theRunIsHeard();
    void theResultHasAName();
    void everyOwnWidgetOfTheInspectorIsRead();
    void cleanupTestCase();

private:
    [[nodiscard]] AtSpi::Object found(const AtSpi::Object& root, Role role, const QString& name);
    [[nodiscard]] QStringList namesBelow(const AtSpi::Object& root, Role role) const;
    [[nodiscard]] QStringList saved() const;

    QTemporaryDir folder_;
    std::optional<PrivateBus> session_;
    std::optional<AtSpi> reader_;
    QProcess studio_;
    AtSpi::Object program_, canvas_;
};

AtSpi::Object AccessTest::found(const AtSpi::Object& root, Role role, const QString& name) {
    const std::optional<AtSpi::Object> object = reader_->find(root, role, name);
    if (!object) {
        throw std::runtime_error(("nobody hears of " + name).toStdString());
    }
    return *object;
}

QStringList AccessTest::namesBelow(const AtSpi::Object& root, Role role) const {
    QStringList names;
    for (const AtSpi::Object& child : reader_->children(root)) {
        if (reader_->role(child) == role) {
            names << reader_->name(child);
        }
    }
    return names;
}

QStringList AccessTest::saved() const {
    return QDir(folder_.filePath("pictures")).entryList({"*.png"}, QDir::Files, QDir::Name);
}

/// A graph of the sources without its last node: somebody still has to save the image.
void AccessTest::initTestCase() {
    Json graph = parseJson(
        contentsOf(sourcePath("examples/graphs/text_to_image.json")).toStdString(), "graph");
    graph["nodes"].erase("save");
    auto& links = graph["links"];
    std::erase_if(links.get_ref<Json::array_t&>(),
                  [](const Json& link) { return link["to"][0] == "save"; });
    QFile file(folder_.filePath("graph.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromStdString(graph.dump()));
    file.close();
    QFile settings(folder_.filePath("settings.json"));
    QVERIFY(settings.open(QIODevice::WriteOnly));
    settings.write(R"({"version": 1, "first_start_done": true, "output_folder": ")" +
                   folder_.filePath("pictures").toUtf8() + R"("})");
    settings.close();
    session_.emplace();
    reader_.emplace(*session_);
    reader_->enlist();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("DBUS_SESSION_BUS_ADDRESS", session_->address());
    environment.insert("XDG_RUNTIME_DIR", session_->runtimeFolder());
    environment.insert("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1");
    environment.insert("LOWTIDE_STUDIO_DATA", folder_.path());
    environment.insert("QT_QPA_PLATFORM", "xcb");
    studio_.setProcessEnvironment(environment);
    studio_.setProcessChannelMode(QProcess::ForwardedChannels);
    studio_.start(buildPath("bin/lowtide-studio"), {file.fileName()});
    QVERIFY(studio_.waitForStarted());
    const std::optional<AtSpi::Object> program = reader_->program("lowtide-studio", kStartPatience);
    QVERIFY(program);
    program_ = *program;
    const std::optional<AtSpi::Object> canvas =
        reader_->find(program_, Role::List, "Graph", kStartPatience);
    QVERIFY(canvas);
    canvas_ = *canvas;
    // No window manager does it here, and without an active window no focus is reported.
    type({"search", "--sync", "--onlyvisible", "--class", "lowtide-studio", "windowfocus"});
}

void AccessTest::theGraphIsReadInRunOrder() {
    QTRY_COMPARE_WITH_TIMEOUT(
        namesBelow(canvas_, Role::ListItem),
        QStringList(
            {"Empty latent", "Load checkpoint", "Encode prompt", "Denoise", "Decode image"}),
        kStartPatience);
    const AtSpi::Object denoise = found(canvas_, Role::ListItem, "Denoise");
    QVERIFY(!reader_->description(denoise).isEmpty());
    const AtSpi::Object model = found(denoise, Role::PushButton, "Model");
    QVERIFY2(reader_->description(model).startsWith("Input, from Load checkpoint, Model."),
             qPrintable(reader_->description(model)));
    for (const AtSpi::Object& child : reader_->children(denoise)) {
        QVERIFY(!reader_->name(child).contains('.'));  // no name of a type
    }
}

void AccessTest::aNodeIsAddedByActionAndKeys() {
    QVERIFY(reader_->act(canvas_, "addNode"));
    type({"type", "--delay", "30", "save image"});
    QTRY_VERIFY(reader_->announcements().contains("Save image"));
    type({"key", "Return"});
    const AtSpi::Object save = found(canvas_, Role::ListItem, "Save image");
    QTRY_VERIFY(reader_->hasReported(save, "focused"));
}

void AccessTest::itIsWiredByActionAndKeys() {
    const AtSpi::Object save = found(canvas_, Role::ListItem, "Save image");
    const AtSpi::Object image = found(save, Role::PushButton, "Image");
    const AtSpi::Object own =
        found(image, Role::Link, "Wire from Decode image, Image to Save image, Image");
    QVERIFY(reader_->act(own, "delete"));  // a new node is wired by itself
    QTRY_VERIFY(reader_->description(image).startsWith("Input, not connected; it is needed."));
    QVERIFY(reader_->act(image, "Press"));
    QTRY_VERIFY(!reader_->announcements().filter("Decode").isEmpty());
    type({"key", "Return"});
    QTRY_VERIFY(reader_->description(image).startsWith("Input, from Decode image, Image."));
    QTRY_VERIFY(
        reader_->find(image, Role::Link, "Wire from Decode image, Image to Save image, Image"));
}

void AccessTest::valuesAreSet() {
    const AtSpi::Object denoise = found(canvas_, Role::ListItem, "Denoise");
    const AtSpi::Object steps = found(denoise, Role::SpinButton, "Steps");
    QCOMPARE(reader_->value(steps), 20.0);
    reader_->setValue(steps, 2);
    QTRY_COMPARE(reader_->value(steps), 2.0);
    const auto reported = reader_->announcements().size();
    reader_->setValue(steps, -5);
    QTRY_COMPARE(reader_->announcements().size(), reported + 1);
    QCOMPARE(reader_->value(steps), 2.0);
    const AtSpi::Object prompt =
        found(found(canvas_, Role::ListItem, "Encode prompt"), Role::Text, "Prompt");
    reader_->setText(prompt, "a fox face on a green background");
    QTRY_COMPARE(reader_->text(prompt), QString("a fox face on a green background"));
    QTRY_VERIFY(reader_->hasReported(steps, "accessible-value"));
}

void AccessTest::theRunIsHeard() {
    QVERIFY(reader_->act(found(program_, Role::PushButton, "Run"), "Press"));
    QTRY_VERIFY_WITH_TIMEOUT(!reader_->announcements().filter("finished in").isEmpty(),
                             kRunPatience);
    const QString sentence = reader_->announcements().filter("finished in").front();
    QCOMPARE(saved().size(), 1);
    QVERIFY2(sentence.contains(saved().front()), qPrintable(sentence));
}

void AccessTest::theResultHasAName() {
    const AtSpi::Object image = found(canvas_, Role::Image, "Image of Save image");
    QCOMPARE(reader_->description(image), QString("128 x 128 pixels"));
    QVERIFY(
        reader_->description(found(canvas_, Role::ListItem, "Denoise")).startsWith("Finished in"));
    QVERIFY(reader_->act(image, "Press"));
    const AtSpi::Object shown = found(program_, Role::Image, "Image " + saved().front());
    QVERIFY(reader_->description(shown).contains("128 x 128 pixels"));
}

void AccessTest::everyOwnWidgetOfTheInspectorIsRead() {
    QVERIFY(reader_->act(found(canvas_, Role::ListItem, "Denoise"), "Press"));
    const AtSpi::Object inspector = found(program_, Role::SpinButton, "Guidance");
    QVERIFY(reader_->value(inspector) > 0);
}

void AccessTest::cleanupTestCase() {
    studio_.kill();
    studio_.waitForFinished();
    reader_.reset();
    session_.reset();
}

// With a window system of its own: the X server ends with its last client.
LOWTIDE_SCREEN_TEST(AccessTest)

}  // namespace access_test

#include "access_test.moc"
