// Files of models: found, noted, hashed. With the pointer, then with keys alone.
#include "tests/fixtures/folders.hpp"
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/screen/real_studio.hpp"

#include <QGuiApplication>
#include <QtTest/QtTest>

namespace models_test {

using namespace lowtide::testing;

using Role = AtSpi::Role;

namespace {

constexpr const char* kSource = "resources/mini/model/vae/diffusion_pytorch_model.safetensors";

}  // namespace

class ModelsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aModelIsFound();
    void aNoteIsKept();
    void aHashIsComputed();
    void aModelIsUsed();

    void cleanupTestCase() { studio_.reset(); }

private:
    void selectByMouse(const QString& name);
    void selectByKeys(const QString& name);

    [[nodiscard]] QByteArray shelf() const {
        return contentsOf(studio_->path("models/models.json"));
    }

    QTemporaryDir models_;
    QString hash_;  ///< ten digits
    std::optional<RealStudio> studio_;
};

void ModelsTest::initTestCase() {
    QVERIFY(QDir(models_.path()).mkpath("vae"));
    for (const char* name : {"vae/first.safetensors", "vae/second.safetensors"}) {
        QVERIFY(QFile::copy(sourcePath(kSource), models_.filePath(name)));
    }
    for (const char* name : {"vae/first.lowtide.json", "vae/second.lowtide.json"}) {
        QFile stated(models_.filePath(name));  // the weights alone do not show it
        QVERIFY(stated.open(QIODevice::WriteOnly));
        stated.write(R"({"vae": {"norm_num_groups": 1}})");
    }
    const QByteArray bytes = contentsOf(sourcePath(kSource));
    hash_ = QString::fromLatin1(
        QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex().left(10));
    studio_.emplace(QJsonObject{{"model_folders", QJsonArray{models_.path()}}});
    studio_->start(studio_->copyGraph("examples/graphs/text_to_image.json", 2));
}

void ModelsTest::selectByMouse(const QString& name) {
    studio_->click(Role::PageTab, "Models");
    studio_->click(studio_->shown(Role::TableCell, name));
    studio_->shown(Role::Label, name);
}

void ModelsTest::selectByKeys(const QString& name) {
    studio_->press({"alt+4"});
    studio_->goTo(Role::Text, "Search models", "shift+Tab");
    studio_->press({"ctrl+a"});
    studio_->type(name);
    studio_->goTo(Role::Tree, "Models");
    studio_->press({"Home"});
    studio_->shown(Role::Label, name);
}

void ModelsTest::aModelIsFound() {
    selectByMouse("first");
    studio_->shown(Role::Label, "No hash yet");
    studio_->keep("models");
    selectByKeys("second");
    studio_->press({"shift+Tab"});
}

void ModelsTest::aNoteIsKept() {
    selectByKeys("second");
    studio_->goTo(Role::Text, "Note");
    studio_->type("by keys");
    studio_->press({"Tab"});
    QTRY_VERIFY(shelf().contains("by keys"));
    studio_->clickOften(studio_->shown(Role::Text, "Search models"), 3);
    studio_->press({"Delete"});
    selectByMouse("first");
    studio_->click(Role::Text, "Note");
    studio_->type("with the pointer");
    selectByMouse("second");
    QTRY_VERIFY(shelf().contains("with the pointer"));
    QTRY_COMPARE(studio_->reader().text(studio_->shown(Role::Text, "Note")), QString("by keys"));
}

void ModelsTest::aHashIsComputed() {
    selectByMouse("first");
    studio_->click(Role::PushButton, "Compute the hash");
    studio_->shown(Role::Label, "Hash " + hash_);
    selectByKeys("second");
    studio_->shown(Role::Label, "No hash yet");
    studio_->goTo(Role::PushButton, "Compute the hash");
    studio_->press({"space"});
    studio_->shown(Role::Label, "Hash " + hash_);
    QTRY_COMPARE(shelf().count(hash_.toLatin1()), 2);
}

/// By the node that loads.
void ModelsTest::aModelIsUsed() {
    const auto waitUsed = [this](const QString& file) {
        studio_->waitUntil(file + " is used", [&] {
            const AtSpi::Object node =
                studio_->shown(studio_->shown(Role::List, "Graph"), Role::ListItem, "Load");
            return studio_->reader()
                .text(studio_->shown(node, Role::Text, "Autoencoder"))
                .endsWith(file);
        });
    };
    studio_->clickOften(studio_->shown(Role::Text, "Search models"), 3);
    studio_->press({"Delete"});
    selectByMouse("first");
    studio_->clickOften(studio_->shown(Role::TableCell, "first"));
    waitUsed("first.safetensors");
    selectByKeys("second");
    studio_->press({"Return"});
    waitUsed("second.safetensors");
}

LOWTIDE_SCREEN_TEST(ModelsTest)

}  // namespace models_test

#include "models_test.moc"
