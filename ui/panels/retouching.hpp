#pragma once

#include "ui/bridge/background.hpp"
#include "ui/bridge/image_load.hpp"
#include "ui/painting/crop_frame.hpp"
#include "ui/painting/kept_image.hpp"
#include "ui/panels/mask_tool.hpp"

#include <QObject>
#include <QString>
#include <QTimer>
#include <QWidget>

#include <map>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace lowtide::ui {

class FramePanel;
class FrameTool;
class MaskList;
class MaskTool;
class ImageView;

/// The tools next to an image whose mask is painted: brush, what is done to the whole mask, and how
/// it is shown.
class MaskPanel : public QWidget {
    Q_OBJECT

public:
    explicit MaskPanel(QWidget* parent);

    /// Of which mask it is; nullptr: none yet.
    void setTool(MaskTool* tool);
    /// A line about the mask: where it is kept, or why not.
    void showMessage(const QString& text);

    [[nodiscard]] MaskList& masks() const { return *masks_; }

    /// Undo and redo mean the mask here, too: its buttons have the focus after a click.
    bool event(QEvent* event) override;

Q_SIGNALS:
    void useAsked();
    void regionAsked();
    void closeAsked();

private:
    QWidget* makeBrush();
    QWidget* makeTools();
    QWidget* makeWhole();
    QWidget* makeLook();
    QWidget* makeEnd();
    QToolButton* button(const char* icon, const QString& text, const char* name);
    QPushButton* press(const QString& text, const QString& tip, const char* name);
    void show();
    void take();

    MaskTool* tool_ = nullptr;
    MaskList* masks_ = nullptr;
    std::map<PaintTool, QToolButton*> tools_;
    QToolButton* erase_ = nullptr;
    QToolButton* undo_ = nullptr;
    QToolButton* redo_ = nullptr;
    QSpinBox* size_ = nullptr;
    QSpinBox* hardness_ = nullptr;
    QSpinBox* opacity_ = nullptr;
    QSpinBox* tolerance_ = nullptr;
    QSpinBox* pixels_ = nullptr;
    QComboBox* colour_ = nullptr;
    QSpinBox* strength_ = nullptr;
    QLabel* reported_ = nullptr;
    QPushButton* use_ = nullptr;
    bool isShowing_ = false;
};

/// One of the masks of an image, with the steps that it was painted in.
struct PaintedMask {
    int number = 1;
    QString name{};  ///< that the user gave; empty: none
    bool isShown = true;
    QColor colour{};
    MaskCanvas canvas;
};

/// What the user does to the image of a viewer: paints masks, crops it, extends it. A mask is
/// kept while it is painted, at most a second late, and is there again when the image is.
class Retouching : public QObject {
    Q_OBJECT

public:
    enum class Work { None, Mask, Frame };

    static constexpr size_t kMostMasks = 20;  ///< of an image

    /// `view` must outlive it.
    Retouching(ImageView& view, QObject* parent);
    /// Keeps what is not kept.
    ~Retouching() override;

    /// Next to the image, shown while something is done; their owner positions them.
    [[nodiscard]] QWidget* maskPanel() const;
    [[nodiscard]] QWidget* framePanel() const;

    /// Where unfinished masks are kept; empty: they are not.
    void setFolder(const QString& folder);
    /// What the view shows now; another image ends what was done to the one before.
    void setImage(const LoadedImage& image);
    /// Why this image cannot be painted on or cropped; empty: it can, or there is none.
    [[nodiscard]] QString refusal() const;

    [[nodiscard]] Work work() const { return work_; }

    /// nullptr: no mask is painted, or what was kept of it is still being read.
    [[nodiscard]] MaskTool* maskTool() const { return mask_; }

    [[nodiscard]] FrameTool* frameTool() const { return frame_; }

    /// `ofKept`: the message next to a mask that was kept; empty: that it was.
    void begin(Work work, const QString& ofKept = {});

    void end() { begin(Work::None); }

    /// A line next to the image.
    void showMessage(const QString& text);

Q_SIGNALS:
    void workChanged();
    /// The image has no file of its own (a frame of a video, a preview): it needs one first.
    void fileWanted(const QImage& image, lowtide::ui::Retouching::Work work);
    /// The mask is to be used with that image.
    void maskUsed(const QString& image, const QImage& mask);
    /// What is masked, and lies in that rectangle, is to get a prompt of its own. `name` is the one
    /// that the user gave the mask.
    void regionWanted(const QString& name, const QRect& rect, const QImage& mask);
    /// A part of the image is to be written, or more than it.
    void frameAccepted(const QImage& image, const QRect& frame, int overlap);

private:
    void beginMask(const QString& ofKept);
    void connectMasks();
    void paintOn(std::vector<PaintedMask> masks);
    /// The one that is painted becomes one of the list again, as it is now.
    void takeCurrent();
    void showCurrent();
    void showMasks();
    void choose(int row);
    void addMask();
    void insertMask(size_t index, const PaintedMask& mask);
    void deleteMask();
    void rename(int row, const QString& name);
    void setShown(int row, bool isShown);
    [[nodiscard]] static QString nameOf(const PaintedMask& mask);
    [[nodiscard]] QColor colourOf(int number) const;
    void keepMask(size_t index);
    void beginFrame();
    void close();
    void keepSoon();
    void keepNow();
    void keep(const QString& path, const NamedMask& mask);
    void leave(MaskTool* tool);
    void useMask();
    void useRegion();
    void acceptFrame();

    ImageView& view_;
    MaskPanel* maskPanel_;
    FramePanel* framePanel_;
    UnfinishedMasks unfinished_{QString()};
    bool isKeeping_ = false;  ///< there is a folder
    QString path_;            ///< of the image; empty: it has no file
    QImage image_;
    Work work_ = Work::None;
    MaskTool* mask_ = nullptr;  ///< a child, as the frame: it ends before the view does
    std::vector<PaintedMask> masks_;
    size_t current_ = 0;  ///< which of them is painted
    FrameTool* frame_ = nullptr;
    Brush brush_;  ///< of the mask before, as what follows
    PaintTool paintTool_ = PaintTool::Brush;
    double tolerance_ = MaskTool::kUsualTolerance;
    OverlayLook look_;
    QTimer keep_;
    Background background_;  ///< writes and reads unfinished masks, in order
};

}  // namespace lowtide::ui
