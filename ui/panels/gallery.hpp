#pragma once

#include "ui/bridge/run_library.hpp"
#include "ui/document/image_values.hpp"

#include <QPointer>
#include <QWidget>

#include <vector>

class QLabel;
class QListView;
class QMenu;
class QStackedWidget;
class QToolButton;

namespace lowtide::ui {

class GalleryDelegate;
class GalleryFilter;
class GalleryRemoval;
class GalleryRows;

/// Every image and video of all runs, found by words, models, graphs, days and stars.
class Gallery : public QWidget {
    Q_OBJECT

public:
    /// `library` must outlive it.
    explicit Gallery(RunLibrary& library, QWidget* parent = nullptr);

    /// All that it shows, in its order, whole paths.
    [[nodiscard]] QStringList files() const;
    [[nodiscard]] std::vector<ImageRecord> selected() const;
    /// Into sight.
    void select(const QString& path);
    void focusSearch();
    /// Shown in its own menu, for one image.
    void setPresets(QMenu* menu);
    /// What can be done with an image that is shown elsewhere; it is chosen here by that.
    void popupMenu(const QString& path, const QPoint& point);

    /// The same as entries of another menu; nothing where it does not show the image.
    void addTo(QMenu& menu, const QString& path);

    /// What was moved to the wastebasket last comes back.
    void undoRemove();

    /// Its images are seen while this is, too: they are kept fresh.
    void showAlsoIn(QWidget* strip) { strip_ = strip; }

    /// Asks for images if those that it has may be old.
    void refresh();

    [[nodiscard]] GalleryRows& rows() { return *rows_; }

Q_SIGNALS:
    /// To be seen large, among all that are shown.
    void viewAsked(const QString& path);
    void compareAsked(const QString& left, const QString& right);
    void graphAsked(const lowtide::ui::RunKey& run, const QString& path);
    /// Values of its run are wanted in the open graph.
    void valuesAsked(const lowtide::ui::RunKey& run,
                     const QString& path,
                     lowtide::ui::ImageUse use);
    void differencesAsked(const lowtide::ui::RunKey& run);
    void inputAsked(const QString& path);
    /// The sheet that an image is of, or is a cell of.
    void sheetAsked(const lowtide::ui::RunKey& run);
    /// Images went to the wastebasket, or came back, as a sentence.
    void removed(const QString& sentence);
    void returned(const QString& sentence);
    /// Something did not go: a sentence.
    void refused(const QString& sentence);

protected:
    void showEvent(QShowEvent* event) override;
    /// Of the list: its Ctrl+Z before the window's, while it has something to undo.
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    void addActions();
    /// A template: `act` is a method or a function.
    template <class Act>
    void addAction(const char* name, const QString& text, const QKeySequence& key, Act act);
    void askImages();
    void takeImages(std::vector<ImageRecord> images);
    void showPage();
    void adjust();
    void setSide(int pixels);
    void emitSize();
    void emitMarked(const std::vector<ImageRecord>& chosen);
    void view();
    void compareSelected();
    void star();
    void openFolder();
    void copy();
    void rename();
    void removeSelected();
    void openGraph();
    void useValues(ImageUse use);
    void showDifferences();
    void useAsInput();
    void openSheet();
    void activate();

    RunLibrary& library_;
    GalleryRows* rows_;
    GalleryDelegate* delegate_;
    GalleryRemoval* removal_;
    GalleryFilter* filter_ = nullptr;
    QListView* list_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    QLabel* count_ = nullptr;
    QMenu* menu_ = nullptr;
    QPointer<QWidget> strip_;
    int marked_ = 0;         ///< how many were reported last
    bool isAsked_ = false;   ///< an answer is on its way
    bool isStale_ = true;    ///< what it shows may be old
    bool isUnread_ = false;  ///< the library could not answer
    bool isFilled_ = false;  ///< an answer has come
};

}  // namespace lowtide::ui
