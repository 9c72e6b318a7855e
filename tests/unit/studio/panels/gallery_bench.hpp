// A gallery with images on the disk, for tests.
#pragma once

#include "tests/fixtures/input.hpp"
#include "ui/panels/gallery.hpp"

#include <QtTest/QtTest>
#include <QtWidgets>

namespace lowtide::ui::gallery_bench {

inline constexpr int kPatience = 20000;

/// A library with images on the disk, and the gallery of it.
struct Shown {
    Shown() : library(folder.filePath("runs")), gallery(library) {
        gallery.resize(760, 520);
        gallery.show();
        test::bringToFront(gallery);
    }

    /// The run's words tell it from others.
    void addRun(int number, const QString& prompt, const QStringList& names, const QColor& colour) {
        const RunKey key = library.keyOf(static_cast<quint64>(number));
        library.add({{.key = key,
                      .title = QString("run %1").arg(number),
                      .graph = "{}",
                      .words = {.graph = number % 2 ? "boats" : "towers",
                                .prompt = prompt,
                                .models = number % 2 ? "sd15.safetensors" : "wan.safetensors"}}});
        QStringList paths;
        for (const QString& name : names) {
            QImage image(96, 64, QImage::Format_RGB888);
            image.fill(colour);
            paths << pathOf(name);
            QVERIFY(image.save(paths.back()));
        }
        library.addImages(key, paths, ImageClaim::Wrote);
    }

    void fill() {
        addRun(1, "a red boat", {"boat1.png", "boat2.png"}, Qt::red);
        addRun(2, "a tower", {"tower.png"}, Qt::blue);
        waitFor({"tower.png", "boat2.png", "boat1.png"});
    }

    [[nodiscard]] QString pathOf(const QString& name) const { return folder.filePath(name); }

    [[nodiscard]] QStringList names() const {
        QStringList names;
        for (const QString& file : gallery.files()) {
            names << QFileInfo(file).fileName();
        }
        return names;
    }

    void waitFor(const QStringList& expected) {
        QTRY_COMPARE_WITH_TIMEOUT(names(), expected, kPatience);
    }

    [[nodiscard]] QListView& list() { return *gallery.findChild<QListView*>("pictures"); }

    [[nodiscard]] QAction& action(const char* name) { return *gallery.findChild<QAction*>(name); }

    void select(const QStringList& wanted) {
        list().setFocus();  // keys go there
        list().clearSelection();
        for (int row = 0; row < list().model()->rowCount(); ++row) {
            const QModelIndex index = list().model()->index(row, 0);
            if (wanted.contains(index.data().toString())) {
                list().selectionModel()->select(index, QItemSelectionModel::Select);
                list().selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
            }
        }
    }

    QTemporaryDir folder;
    RunLibrary library;
    Gallery gallery;
};

/// The same with three images of two runs.
struct Filled : Shown {
    Filled() { fill(); }
};

}  // namespace lowtide::ui::gallery_bench
