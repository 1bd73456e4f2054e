"""Policy-value nets: planes and labels come packed from `nue data stream --planes`.

docs/deep-trainer.md says how to train them; the layouts are in docs/planes.md.
"""
