#pragma once

#include "plugin/base/stop_token.hpp"
#include "plugin/graph/catalog.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/document/image_values.hpp"
#include "ui/panels/image_compare.hpp"

#include <QWidget>

#include <functional>
#include <memory>
#include <optional>

class QComboBox;
class QLabel;
class QMenu;
class QMimeData;
class QSplitter;
class QShortcut;
class QStackedWidget;
class QToolButton;

namespace lowtide::ui {

class ElidedLabel;
class FactsPanel;
class FrameBar;
class FramesInStep;
class ImageView;
class Retouching;

/// Shows an image or a video large, compares two, and lists what its file contains. What it shows
/// can be copied, opened as the graph that made it, or used as the input of another.
class Viewer : public QWidget {
    Q_OBJECT

public:
    explicit Viewer(QWidget* parent = nullptr);
    ~Viewer() override;

    /// Reads it on another thread. In place of what cannot be shown stands the reason.
    void showFile(const QString& path);
    /// One of several files that belong together; the others are listed and a key away. Two that
    /// are compared give way to it.
    void showFiles(const QStringList& files, const QString& shown);

    /// What showFiles() or showFile() was asked for last; empty: an image that is no file.
    [[nodiscard]] const QString& file() const { return wanted_; }

    [[nodiscard]] const QStringList& files() const { return files_; }

    /// Two files side by side, with the wipe between them.
    void compareFiles(const QString& left, const QString& right);
    /// An image that is not (yet) a file. `size`: of what it was made from, if that is larger.
    void showImage(const QImage& image, const QString& title, const QSize& size = {});
    /// One of something unfinished, until endLive() or another image. Not while two are compared,
    /// nor while it does not follow.
    void showLive(const QImage& image, const QString& title);
    /// What was shown before is shown again.
    void endLive();

    [[nodiscard]] bool isLive() const { return beforeLive_.has_value(); }

    /// Whether it shows what runs make. A user who looks at another image meanwhile wants to look
    /// at that one.
    void setFollowing(bool isFollowing);
    [[nodiscard]] bool isFollowing() const;
    /// Whether what a run makes may take the place of what is shown: it follows, and nothing is
    /// compared, painted on or cropped.
    [[nodiscard]] bool canFollow() const;

    [[nodiscard]] ImageView& view() { return *view_; }

    /// Gives the keyboard to the image, or to the one that is being read.
    void takeFocus();

    /// What is shown; without levels: nothing.
    [[nodiscard]] const LoadedImage& image() const { return shown_; }

    /// The file that is shown; empty: none, or an image without one.
    [[nodiscard]] QString path() const { return shown_.path; }

    /// Shown by the arrow next to "Use it as input".
    void setPresets(QMenu* menu);

    /// Masks that are painted over its image, and its crop.
    [[nodiscard]] Retouching& retouching() { return *retouching_; }

    /// Whether what it shows can be painted on and cropped.
    [[nodiscard]] bool canRetouch() const;

    /// Shows the image alone: no tools, no facts, nothing below it. Esc asks for the end of that.
    void setAlone(bool isAlone);

    /// Below all that it shows.
    void addBelow(QWidget* strip);

    /// As FactsPanel::setCatalog.
    void setCatalog(const graph::Catalog* catalog);

Q_SIGNALS:
    /// An image, or why there is none, has arrived.
    void shown();
    /// The user is about to look at another image: by its keys and lists, or dropped here.
    void chosen();
    void openGraphAsked(const QString& path);
    void useAsInputAsked(const QString& path);
    /// Values of the graph that made the image are wanted in the open one.
    void valuesAsked(lowtide::ui::ImageUse use);
    /// Whether the image shall be shown alone, on the whole screen.
    void aloneAsked(bool isAlone);
    /// A menu of the image opens; who knows the file may add what can be done with it.
    void menuAsked(QMenu* menu);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    /// Left and Right go to another image where nothing below has a use for them.
    void keyPressEvent(QKeyEvent* event) override;

private:
    void makeBar();
    void fillBar();
    QWidget* makePane();
    void makeRetouching(QSplitter& splitter);
    void showRetouching();
    void makeSteps();
    /// To the next (1) or the one before (-1) of the files.
    void step(int by);
    void makeWays();
    void showDifference();
    void fillFiles();
    /// `then` when it is shown, unless another one is wanted by then.
    void load(const QString& path, std::function<void()> then = {});
    void present(const LoadedImage& image, const QString& title);
    void showPage();
    void showFrameBar();
    void showFrame(int frame, const ImageLevels& image, const ImageLevels& compared);
    /// In place of the frame.
    void showProblem(const QString& problem);
    void showZoom(double zoom);
    void compare(bool isOn);
    void emitCompare();
    void endComparison();
    void showCaptions();
    void copyImage() const;
    void leave();
    void popupMenu(const QPoint& point);

    LoadedImage shown_;
    bool isPairComing_ = false;             ///< the second of two that are compared
    NamedImage kept_;                       ///< that it is compared with
    std::optional<NamedImage> beforeLive_;  ///< set: a live image is shown
    bool wantsFocus_ = false;               ///< the image that comes gets the keyboard
    QString wanted_;                        ///< file that was asked for last
    StopSource loading_;                    ///< of that file
    QStringList files_;                     ///< that belong together; the wanted one is among them
    FramesInStep* frames_ = nullptr;
    FrameBar* frameBar_ = nullptr;
    ImageView* view_ = nullptr;
    QStackedWidget* pages_ = nullptr;
    QLabel* problem_ = nullptr;
    ElidedLabel* title_ = nullptr;
    QLabel* zoom_ = nullptr;
    FactsPanel* facts_ = nullptr;
    QToolButton* follow_ = nullptr;
    QComboBox* list_ = nullptr;
    QToolButton* ways_ = nullptr;
    QLabel* apart_ = nullptr;   ///< how far two compared images are apart
    bool isMeasuring_ = false;  ///< that
    QToolButton* previous_ = nullptr;
    QToolButton* next_ = nullptr;
    QToolButton* compare_ = nullptr;
    QShortcut* leave_ = nullptr;  ///< the comparison, or that the image is alone
    bool isAlone_ = false;
    QWidget* bar_ = nullptr;
    QWidget* below_ = nullptr;
    QToolButton* copy_ = nullptr;
    QToolButton* openGraph_ = nullptr;
    QToolButton* useAsInput_ = nullptr;
    QToolButton* paintMask_ = nullptr;
    QToolButton* crop_ = nullptr;
    std::unique_ptr<Retouching> retouching_;
    QWidget* maskPart_ = nullptr;   ///< the tools of a mask, which scroll
    QWidget* framePart_ = nullptr;  ///< those of a frame
};

/// The first file on this machine that a drop brings and that has the name of an image or a video;
/// empty: none.
[[nodiscard]] QString droppedImagePath(const QMimeData* data);

}  // namespace lowtide::ui
