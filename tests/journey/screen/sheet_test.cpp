// Sheets, from the row of a parameter to the file of all cells: with the pointer, then with keys.
#include "tests/fixtures/test_program.hpp"
#include "tests/journey/screen/real_studio.hpp"

#include <QtGui>
#include <QtTest/QtTest>

namespace sheet_test {

using namespace lowtide::testing;

using Role = AtSpi::Role;
using Button = Screen::Button;

class SheetTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aSheetIsMadeByMouse();
    void aSheetIsMadeByKeys();
    void itIsShownAgain();

    void cleanupTestCase() { studio_.reset(); }

private:
    /// Waits for the image of all cells; its size.
    [[nodiscard]] QSize finished(const QString& file);
    [[nodiscard]] AtSpi::Object inspectorField(Role role, const QString& name);

    std::optional<RealStudio> studio_;
};

void SheetTest::initTestCase() {
    studio_.emplace();
    studio_->start(studio_->copyGraph("examples/graphs/text_to_image.json", 2));
}

QSize SheetTest::finished(const QString& file) {
    QSize size;
    studio_->waitUntil(
        file,
        [&] {
            size = QImage(studio_->path("pictures/" + file)).size();
            return !size.isEmpty();
        },
        RealStudio::kRunPatience);
    return size;
}

void SheetTest::aSheetIsMadeByMouse() {
    studio_->click(studio_->shown(studio_->shown(Role::List, "Graph"), Role::ListItem, "Denoise"));
    studio_->click(Role::Label, "Steps", Button::Right);
    studio_->clickEntry("Vary in a sheet, as columns");
    const AtSpi::Object dialog = studio_->shown(Role::Dialog, "Vary in a sheet");
    studio_->clickOften(studio_->shown(dialog, Role::Text, "Values"), 3);
    studio_->type("1-2");
    studio_->shown(dialog, Role::Label, "2 images");
    studio_->keep("sheet_dialog");
    studio_->click(studio_->shown(dialog, Role::PushButton, "Run"));
    studio_->waitGone(Role::Dialog, "Vary in a sheet");
    const QSize one = finished("graph_sheet_00001.png");
    QVERIFY(one.width() > 2 * 128);
    QCOMPARE(studio_->kept("SELECT count(*) FROM sheet_cells").value(0), QString("2"));
}

/// Begins with the parameter that is being edited.
void SheetTest::aSheetIsMadeByKeys() {
    studio_->press({"alt+5"});
    studio_->goTo(Role::SpinButton, "Guidance");
    studio_->press({"ctrl+shift+x"});
    studio_->shown(Role::Dialog, "Vary in a sheet");
    studio_->waitFocused(Role::Text, "Values");
    studio_->press({"ctrl+a"});
    studio_->type("1, 4, 8");
    studio_->shown(Role::Label, "3 images");
    studio_->press({"Return"});
    studio_->waitGone(Role::Dialog, "Vary in a sheet");
    QVERIFY(finished("graph_sheet_00002.png").width() > 3 * 128);
    QCOMPARE(studio_->kept("SELECT count(*) FROM sheet_cells").value(0), QString("5"));
}

void SheetTest::itIsShownAgain() {
    studio_->press({"alt+1", "alt+x"});
    studio_->waitFocused(Role::Table, "Cells of the sheet");
    studio_->press({"Right"});
    studio_->waitFocused(Role::TableCell, "");
    const QString first = studio_->focusedName();
    studio_->press({"Left"});
    studio_->waitUntil("another cell", [&] { return studio_->focusedName() != first; });
    studio_->keep("sheet");
    studio_->click(Role::PageTab, "Graph");
    studio_->click(Role::PageTab, "Sheet");
    studio_->shown(Role::TableCell, first);
}

LOWTIDE_SCREEN_TEST(SheetTest)

}  // namespace sheet_test

#include "sheet_test.moc"
